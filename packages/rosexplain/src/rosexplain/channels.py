"""Channels of radios: their bands and widths, and what the hardware could have instead."""

from __future__ import annotations

from rosexplain.network import Network
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.rows import Row

OLD = "/interface/wireless"
NAMED = OLD + "/channels"
"""The menu of channels that `frequency` of a radio may name (fact wifi-named-channel)."""
STANDARDS = ("n", "ac", "ax", "be")
"""The standards of radios' rates beyond 54 Mbit/s, the oldest first."""
WITHOUT_AC = {"2": "2ghz-b/g/n", "5": "5ghz-a/n"}
"""The widest band of a radio by its digit in a product's code, in the old menu."""
BY_DEFAULT = {"2": "2ghz-b/g", "5": "5ghz-a"}
"""The band of such a radio that does not say it (fact wifi-band-default)."""
WITH_AC = "5ghz-a/n/ac"
WIDE = "channel-width=20/40/80mhz-XXXX"
"""80 MHz, of which the radio itself chooses the control channel (fact wifi-channel-width)."""
WIDER = "20/40/80mhz"
BY_NAME, SWAPPED = {"wlan1": "2", "wlan2": "5"}, "RB4011"
"""The bands of devices with two radios, as their exports show them; but for one device."""


def of_model(model: str) -> list[tuple[str, str]]:
    """The bands of a model's radios by its code, each with the newest of its standards.

    `5HacD2HnD`: `[("5", "ac"), ("2", "n")]`; `52HPn`, one radio for either band: `[("", "n")]`;
    none where the model has no code of a radio.
    """
    bands: list[tuple[str, str]] = []
    for part in model.replace("+", "-").replace(" ", "-").split("-"):
        starts = [place for place, letter in enumerate(part) if letter in WITHOUT_AC]
        for place, start in enumerate(starts):
            end = starts[place + 1] if place + 1 < len(starts) else len(part)
            newest = [one for one in STANDARDS if one in part[start + 1 : end]]
            if newest:
                either = place > 0 and starts[place - 1] == start - 1
                bands.append(("" if either else part[start], newest[-1]))
    return bands


def named(net: Network, row: Row) -> Row | None:
    """The channel that a radio of the old menu names as its frequency; else None."""
    frequency = row.get("frequency") if row.menu.path == OLD else ""
    return next(iter(net.rows.where(NAMED, "name", frequency) if frequency else []), None)


def given(net: Network, row: Row, name: str) -> tuple[Row, str] | None:
    """The row that gives a radio the band, width or frequency of its channel, and its name there.

    In the new menus the radio's own counts before that of the channel, and of the configuration,
    that it names; `(profile, "width")`.  In the old menu the channel that it names counts first.
    """
    menu = row.menu.path
    if menu == OLD:
        own_channel = named(net, row)
        if own_channel is not None and own_channel.get(name):
            return own_channel, name
        own = "channel-width" if name == "width" else name
        return (row, own) if row.get(own) else None
    if row.get("channel." + name):
        return row, "channel." + name
    menu = menu.replace("/configuration", "")
    channel, configuration = row.get("channel"), row.get("configuration")
    for profile in net.rows.where(menu + "/channel", "name", channel) if channel else []:
        if profile.get(name):
            return profile, name
    for one in net.rows.where(menu + "/configuration", "name", configuration)[:1]:
        return given(net, one, name) if configuration else None
    return None


def value(net: Network, row: Row, name: str) -> str:
    """The band, width or frequency of a radio's channel; empty where the export does not say it."""
    place = given(net, row, name)
    return place[0].get(place[1]) if place else ""


def gigahertz(net: Network, row: Row) -> str:
    """`2` or `5`, the GHz of a radio's channel; empty where the export does not show it."""
    begins = [value(net, row, name)[:1] for name in ("band", "frequency")]  # auto is neither
    begins += ["5"] if "80mhz" in value(net, row, "width") else []
    known = [one for one in begins if one in ("2", "5")]
    if known:
        return known[0]
    bands = of_model(net.model)
    if len(bands) == 1:
        return bands[0][0]
    default = row.get("default-name") or row.name
    return BY_NAME.get(default, "") if len(bands) > 1 and SWAPPED not in net.model else ""


def is_narrow(net: Network, row: Row) -> bool:
    """Return True if a radio of 802.11ac has the channel width that is the default."""
    return row.get("band")[-2:] == "ac" and not value(net, row, "width")


def channel(net: Network, row: Row) -> str:
    """The words for a radio's best band and its width: `band=5ghz-a/n channel-width=...`.

    Empty where the export does not show which band it has; RouterOS refuses one that it has not.
    """
    if row.get("band"):
        return WIDE if is_narrow(net, row) else ""
    own = gigahertz(net, row)
    if not own:
        return ""
    known = of_model(net.model)
    if (own, "ac") in known or (own == "5" and ("", "ac") in known):
        return "band=" + WITH_AC + ("" if value(net, row, "width") else " " + WIDE)
    return "band=" + WITHOUT_AC[own]


def limited(net: Network, rows: list[Row]) -> list[Command]:
    """The lines by which radios of 802.11ac and newer have less than 80 MHz."""
    lines: list[Command] = []
    for row in rows:
        band, place = value(net, row, "band"), given(net, row, "width")
        if place is None or band[:1] != "5" or band[-2:] not in STANDARDS[1:]:
            continue
        if place[0].menu.path == NAMED:
            continue  # its extension-channel widens it
        if "80" not in place[0].get(place[1]):  # 20/40/80+80mhz, 20/40/80/160mhz
            lines.append(place[0].command(place[1]))
    return unique(lines, id)


def wider(row: Row) -> str:
    """The words for 80 MHz in the row that says the width: `channel.width=20/40/80mhz`."""
    if row.menu.path == OLD:
        return WIDE
    return ("width=" if row.get("width") else "channel.width=") + WIDER


def outdated(net: Network, rows: list[Row], shared: bool) -> list[Command]:
    """The lines by which radios have an older standard than their model.

    `shared`: a manager gives the profiles to other radios too, so only a radio's own line counts.
    """
    lines: list[Command] = []
    for row in rows:
        place = given(net, row, "band")
        if place is None or (shared and place[0] is not row) or place[0].menu.path == NAMED:
            continue
        band = place[0].get(place[1])
        newest = [one for own, one in of_model(net.model) if own == band[:1]]
        older = [one for one in STANDARDS if band[-len(one) :] == one]
        if row.menu.path == OLD and not older:
            continue  # the rules radio-without-n have it
        known = STANDARDS.index(older[-1]) if older else -1
        if newest and STANDARDS.index(newest[0]) > known:
            lines.append(place[0].command(place[1]))
    return unique(lines, id)


def newest_band(net: Network, row: Row) -> str:
    """The words for the newest band of the model, in the row that says the band: `band=2ghz-ax`.

    With a wider channel where the row keeps one of 5 GHz narrow.
    """
    name = "band" if row.get("band") else "channel.band"
    own = row.get(name)[:1]
    newest = [one for band, one in of_model(net.model) if band == own]
    if not newest or (row.menu.path == OLD and newest[0] != "ac"):
        return ""
    words = name + "=" + (WITH_AC if row.menu.path == OLD else own + "ghz-" + newest[0])
    width = row.get(name.replace("band", "width"))
    if row.menu.path == OLD:
        width = row.get("channel-width", "20mhz")
    return words + (" " + wider(row) if own == "5" and width and "80" not in width else "")
