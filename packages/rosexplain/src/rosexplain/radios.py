"""Radios: where they limit what an export's router forwards, and the rules that configure them."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain import secrets
from rosexplain.interface_lists import EVERY
from rosexplain.matching import Met
from rosexplain.network import CAP, Network
from rosexplain.parse import UNANSWERED, Command
from rosexplain.rows import Row
from rosexplain.selection import is_gone
from rosexplain.uplinks import CLIENTS

MENUS = ("/interface/wireless", "/interface/wifi", "/interface/wifiwave2")
"""The menus of radios, which are off until a line says disabled=no."""

CAPSMAN, BANDS = "/caps-man", "supported-bands"
DATAPATHS = ("/datapath", "/configuration", "/interface")
"""The menus of a CAPsMAN that say into which bridge it puts a radio."""
MANAGERS = (
    (CAPSMAN, "/caps-man/manager"),
    ("/interface/wifi", "/interface/wifi/capsman"),
    ("/interface/wifiwave2", "/interface/wifiwave2/capsman"),
)
"""The managers of access points: the menu above their rules and profiles, and that of `enabled`."""

MATCHERS = (BANDS, "hw-supported-modes", "radio-mac", "identity-regexp",
            "common-name-regexp", "address-ranges", "ip-address-ranges")  # fmt: skip
"""What a provisioning rule asks of a radio; without any, it matches all."""
ANY_MAC = "00:00:00:00:00:00"
MASTER = "master-configuration"
BY_MANAGER = ("capsman", "capsman-or-local")
"""A radio's manager; by itself it is `local`."""
OFFERING = ("ap", "ap-bridge")
"""The modes of a radio that offers a network, and joins none."""
STATIONS = ("station", "")
"""The modes of a radio without L2 bridging; `station` is the default."""

LIMITING, ALONE, OFFERED = "radio-link", "radio-alone", "uplink-by-access-point"
NO_BAND, NARROW = "radio-band-unset", "radio-channel-narrow"
HERE = "127.0.0.1"
OPEN = "radio-open"
ASK_WHO = ("/ip/hotspot", "/interface/pppoe-server/server")
"""Menus of what serves nobody that it does not know."""
NAMED = (LIMITING, ALONE, NO_BAND, NARROW, OPEN)
"""The rules about radios that are named with what bounds their rates."""
ON_ONE = ("/interface/vlan", "/interface/pppoe-client")
"""The menus of interfaces that are on one other."""
BANDS_WITHOUT_AC = {"2": "2ghz-b/g/n", "5": "5ghz-a/n"}
"""The widest band of a radio by its digit in a product's code."""
WIDE = "channel-width=20/40/80mhz-XXXX"
"""80 MHz, of which the radio itself chooses the control channel (fact wifi-channel-width)."""
BY_NAME, SWAPPED = {"wlan1": "2", "wlan2": "5"}, "RB4011"
"""The bands of devices with two radios, as their exports show them; but for one device."""
SHOWN = (
    ("band", "channel.band"),
    ("channel-width", "channel.width"),
    ("mode", "configuration.mode"),
)
"""A radio's properties that bound its rate, by their names in the old menu and the new ones."""


def met(net: Network) -> list[Met]:
    """The rules about radios that hold, each with its lines."""
    unreached: list[Command] = []
    for menu, manager in MANAGERS:
        rows = _provisioning(net, menu, manager)
        unreached += [row.command(MASTER) for row in _unreached(rows)]
    limiting = [row.first for row in _limiting(net)]
    return [
        (ALONE if _no_other_way(net) else LIMITING, limiting),
        ("station-in-bridge", list(_stations(net))),
        (OPEN, [row.first for row in _access(net) if _is_open(net, row)]),
        ("provisioning-unreached", unreached),
        ("cap-without-manager", [row.first for row in _unmanaged(net)]),
    ] + [one for one in mended(net) if one[0] != OFFERED] + [
        (OFFERED, [row.first for row in _offering(net, _others(net))]),
    ]  # fmt: skip


def mended(net: Network) -> list[Met]:
    """The rules that have a remedy, and so are notes too."""
    every = [
        ("provisioning-unset", [row.command("action") for row in _unset(net)]),
        ("manager-passed-on", [row.command("manager") for row in _passed_on(net)]),
        ("cap-without-radios", [row.first for row in _left_out(net)]),
        (NO_BAND, [row.first for row in _own(net) if not row.get("band")]),
        (NARROW, [row.first for row in _own(net) if _is_narrow(row)]),
        # Where another way out works, the remedy would end a network that somebody may use.
        (OFFERED, [] if _others(net) else [row.first for row in _offering(net, [])]),
    ]
    return [(rule, lines) for rule, lines in every if lines]


def settings(net: Network, row: Row) -> str:
    """A radio by its name and what bounds its rate: `wlan1 (2ghz-b/g/n, 20mhz, station)`."""
    words: list[str] = []
    for old, new in SHOWN:
        own = [row.get(name) for name in (old, new)
               if row.get(name) and secrets.shows(row.menu.path, name, row.get(name))]  # fmt: skip
        own_channel = row.menu.path == MENUS[0] and not row.get("master-interface")
        if old == "channel-width" and not row.says(old) and own_channel:
            own = [net.default(row.menu.path, old)]
        words += own
    return _name(row) + (" (" + ", ".join(words) + ")" if words else "")


def called(net: Network, row: Row, rule: str) -> str:
    """A radio as a rule of NAMED calls it; what bounds its rate is nothing to an open network."""
    return _name(row) if rule == OPEN else settings(net, row)


def by_band(net: Network, row: Row) -> list[tuple[str, str]]:
    """What gives the radios of a provisioning rule their configurations: asked band, profile.

    `[("supported-bands=2ghz-ax", "cfg2"), ("supported-bands=5ghz-ax", "cfg5")]`; one without a
    band where there is one profile, none where the export does not show which is meant.
    """
    menu = row.menu.path.replace("/provisioning", "")
    profiles = [one for one in net.rows.of(menu + "/configuration") if one.name and one.get("ssid")]
    if not all(secrets.shows(row.menu.path, MASTER, one.name) for one in profiles):
        return []
    if len(profiles) == 1:
        band, wanted = _band(net, menu, profiles[0]), row.get(BANDS)
        return [("", profiles[0].name)] if wanted[:1] in ("", band[:1] or wanted[:1]) else []
    if menu == CAPSMAN or any(_asks(row, name) for name in MATCHERS):
        return []
    asked: list[tuple[str, str]] = []
    known: list[str] = []
    for one in profiles:
        band = _band(net, menu, one)
        if not band or band[0] in known:
            return []
        known.append(band[0])
        asked.append((BANDS + "=" + band, one.name))
    return asked


def _band(net: Network, menu: str, profile: Row) -> str:
    """The band of a configuration, its own or that of its channel; empty where it has not one."""
    named = net.rows.where(menu + "/channel", "name", profile.get("channel"))
    bands = [profile.get("channel.band")] + [row.get("band") for row in named]
    shown = [band for band in bands if band and "," not in band]
    return shown[0] if shown else ""


def _provisioning(net: Network, menu: str, manager: str) -> list[Row]:
    """The rules of a manager, in their order; none where it is off."""
    on = net.rows.where(manager, "enabled", "yes")
    return net.rows.of(menu + "/provisioning") if on else []


def _unset(net: Network) -> Iterator[Row]:
    """The rules that make interfaces without a configuration."""
    for menu, manager in MANAGERS:
        for row in _provisioning(net, menu, manager):
            if row.get("action", "none") != "none" and not row.get(MASTER):
                yield row


def _unreached(rows: list[Row]) -> Iterator[Row]:
    """The rules all of whose radios a rule before them matches."""
    for place, row in enumerate(rows):
        if row.get(MASTER) and any(_covers(earlier, row) for earlier in rows[:place]):
            yield row


def _covers(first: Row, row: Row) -> bool:
    """Return True if each radio that a rule matches meets all that the first rule asks for.

    A radio has to support every band of a list.
    """
    bands = row.get(BANDS).split(",")
    return all(
        first.get(name) == row.get(name)
        or (name == BANDS and all(band in bands for band in first.get(name).split(",")))
        for name in MATCHERS
        if _asks(first, name)
    )


def _asks(row: Row, name: str) -> bool:
    return row.get(name) not in ("", ANY_MAC)


def _passed_on(net: Network) -> Iterator[Row]:
    """The profiles of a manager by which its access points' radios are told to ask a manager."""
    for menu, manager in MANAGERS[1:]:
        if net.rows.where(manager, "enabled", "yes"):
            for row in net.rows.of(menu + "/configuration"):
                if row.get("manager") in BY_MANAGER:
                    yield row


def is_cap(net: Network) -> bool:
    """Return True if a manager configures the radios of this device."""
    asking = [row for menu in MENUS[1:] for row in net.rows.of(menu)
              if row.get("configuration.manager") in BY_MANAGER]  # fmt: skip
    caps = [CAP] + [menu + "/cap" for menu, _ in MANAGERS[1:]]
    return bool(asking) or any(net.rows.where(menu, "enabled", "yes") for menu in caps)


def asks_itself(net: Network) -> bool:
    """Return True if the radios of a CAPsMAN are those of a CAP that asks this CAPsMAN."""
    return bool(net.rows.where("/caps-man/manager", "enabled", "yes")) and any(
        HERE in row.get("caps-man-addresses").split(",")
        for row in net.rows.where(CAP, "enabled", "yes")
    )


def can_forward(net: Network) -> bool:
    """Return True if a CAP bridges as its CAPsMAN does: all radios into one bridge, without more.

    A CAP has one bridge, and neither a horizon nor the CAPsMAN's interfaces, which a rule may name.
    A datapath's tags need the radios in the VLAN table of the CAP's bridge too.
    """
    rows = [row for menu in DATAPATHS for row in net.rows.of(CAPSMAN + menu)]
    into = [row.get(name) for row in rows for name in ("bridge", "datapath.bridge")]
    into += [row.get("bridge") for row in net.rows.where(CAP, "enabled", "yes")]
    names = {row.name for row in net.rows.of(CAPSMAN + "/interface")}
    named = any(names & menu.mentioned() for path, menu in net.rows.menus.items()
                if path[: len(CAPSMAN)] != CAPSMAN)  # fmt: skip
    more = any(row.get(top + name, off) != off for row in rows for top in ("", "datapath.")
               for name, off in (("bridge-horizon", "none"), ("vlan-mode", "no-tag")))  # fmt: skip
    return len({name for name in into if name not in ("", "none")}) == 1 and not (named or more)


def _left_out(net: Network) -> list[Row]:
    """The radios of a CAP where none of them asks the manager."""
    rows: list[Row] = []
    for menu, _ in MANAGERS[1:]:
        if not net.rows.where(menu + "/cap", "enabled", "yes"):
            continue
        profiles = [row.name for row in net.rows.of(menu + "/configuration")
                    if row.get("manager") in BY_MANAGER]  # fmt: skip
        own = [row for row in net.rows.of(menu) if not row.get("master-interface")]
        if not any(row.get("configuration.manager") in BY_MANAGER
                   or row.get("configuration") in profiles for row in own):  # fmt: skip
            rows += own
    return rows


def _unmanaged(net: Network) -> list[Row]:
    """The radios that ask a manager, of an export whose comments say that there is none."""
    if not any(UNANSWERED in export.header for export in net.exports):
        return []
    radios = [row for menu in MENUS[1:] for row in net.rows.of(menu)
              if row.get("configuration.manager") in BY_MANAGER]  # fmt: skip
    return radios or net.rows.where(CAP, "enabled", "yes")


def _name(row: Row) -> str:
    """A radio's name, or that which it has from the factory."""
    return row.name or row.get("default-name")


def _on(net: Network) -> Iterator[Row]:
    """The radios that a line switches on."""
    for menu in MENUS:
        for row in net.rows.of(menu):
            if row.get("disabled") == "no":
                yield row


def _in_bridges(net: Network, radios: list[Row]) -> list[Row]:
    """Those of some radios that are ports of a bridge, by their names or by a list."""
    ports = [row.get("interface") for rows in net.port_rows.values() for row in rows]
    names = {name for port in ports for name in net.lists.get(port, [port])}
    every = EVERY in ports
    return [row for row in radios if every or _name(row) in names]


def _uplinks(net: Network) -> list[str]:
    """The interfaces of the WAN, and those that get their address by DHCP."""
    return net.wan + [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]


def _carriers(net: Network, names: list[str]) -> list[str]:
    """The interfaces, and those below them: a VLAN's, a PPPoE session's, and a bridge's ports."""
    for name in names:
        below = [row.get("interface") for menu in ON_ONE
                 for row in net.rows.where(menu, "name", name)]  # fmt: skip
        below += [row.get("interface") for row in net.port_rows.get(name, [])]
        names = names + [one for one in below if one not in names]
    return names


def _access(net: Network) -> list[Row]:
    """The radios that are on and offer a network."""
    modes = ("mode", "configuration.mode")
    return [row for row in _on(net) if any(row.get(mode) in OFFERING for mode in modes)]


def _off(net: Network) -> list[str]:
    """The names of the interfaces that are off; a radio is where no line switches it on."""
    on = [_name(row) for row in _on(net)]
    every = [row for path in net.rows.menus if path[:11] == "/interface/"
             for row in net.rows.all_of(path)]  # fmt: skip
    names = [name for row in every if not row.on for name in (row.name, row.get("default-name"))]
    radios = [_name(row) for menu in MENUS for row in net.rows.of(menu)]
    return names + [name for name in radios if name not in on]


def _working(net: Network) -> list[str]:
    """The uplinks that are on, and have an address, ask for one or are a client."""
    off = _off(net)
    reached = {row.get("interface") for menu in ("/ip/address", "/ip/dhcp-client")
               for row in net.rows.of(menu)}  # fmt: skip
    return [name for name in _uplinks(net)
            if name not in off and not is_gone(name)
            and (name in reached or net.kinds.get(name) in CLIENTS + ("lte",))]  # fmt: skip


def _others(net: Network) -> list[str]:
    """The uplinks that work and are no access points, where there are access points."""
    access = [row.name for row in _access(net)]
    return [name for name in _working(net) if name not in access] if access else []


def _offering(net: Network, others: list[str]) -> list[Row]:
    """The access points that are an uplink without an address of its own.

    One in a bridge, or only on the WAN's list beside other ways out, is the LAN's.
    """
    uplinks = _uplinks(net)
    points = [row for row in _access(net) if row.name in uplinks
              and not net.rows.where("/ip/address", "interface", row.name)]  # fmt: skip
    inside = points if others else _in_bridges(net, points)
    asking = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    return [row for row in points if row.name in asking or row not in inside]


def _own(net: Network) -> Iterator[Row]:
    """The radios of the old menu that are on and that no manager configures; no virtual ones."""
    if net.rows.where(CAP, "enabled", "yes"):
        return
    for row in _on(net):
        if row.menu.path == MENUS[0] and not row.get("master-interface"):
            yield row


def _is_open(net: Network, row: Row) -> bool:
    """Return True if a network of the old menu asks for no key, nor who a host is.

    A hotspot and PPPoE ask that, an access list, RADIUS, and nv2's own key; a CAP's security is
    its manager's.
    """
    if row.get("nv2-security") == "enabled" or row.get("default-authentication") == "no":
        return False
    if any(net.rows.of(menu) for menu in ASK_WHO) or net.rows.where(CAP, "enabled", "yes"):
        return False
    menu, name = MENUS[0] + "/security-profiles", row.get("security-profile", "default")
    profiles = net.rows.where(menu, "name", name)
    profiles += net.rows.where(menu, "default", "yes") if name == "default" else []
    keyless = [one for one in profiles if one.get("mode", "none") == "none"
               and one.get("radius-mac-authentication") != "yes"]  # fmt: skip
    return row.menu.path == MENUS[0] and bool(keyless)


def _is_narrow(row: Row) -> bool:
    """Return True if a radio of 802.11ac has the channel width that is the default."""
    return row.get("band")[-2:] == "ac" and not row.get("channel-width")


def channel(net: Network, row: Row) -> str:
    """The words for a radio's best band and its width: `band=5ghz-a/n channel-width=...`.

    Empty where the export does not show which band it has; RouterOS refuses one that it has not.
    """
    if row.get("band"):
        return WIDE if _is_narrow(row) else ""
    bands = _bands(net.model)
    own = row.get("frequency")[:1]
    if own not in BANDS_WITHOUT_AC or len(row.get("frequency")) != len("5180"):
        own = "5" if "80mhz" in row.get("channel-width") else ""
    alone = bands[0][0] if len(bands) == 1 else ""
    by_name = "" if SWAPPED in net.model else BY_NAME.get(row.get("default-name") or row.name, "")
    own = own or alone or (by_name if len(bands) > 1 else "")
    if not own:
        return ""
    if (own, True) in bands:
        return "band=5ghz-a/n/ac" + ("" if row.get("channel-width") else " " + WIDE)
    return "band=" + BANDS_WITHOUT_AC[own]


def _bands(model: str) -> list[tuple[str, bool]]:
    """The bands of a model's radios by its code, and whether 802.11ac is among their standards.

    `5HacD2HnD`: `[("5", True), ("2", False)]`; none where the model has no code of a radio.
    """
    bands: list[tuple[str, bool]] = []
    for part in model.replace("+", "-").replace(" ", "-").split("-"):
        starts = [place for place, letter in enumerate(part) if letter in BANDS_WITHOUT_AC]
        for place, start in enumerate(starts):
            end = starts[place + 1] if place + 1 < len(starts) else len(part)
            standards = part[start + 1 : end]
            if "n" in standards or "ac" in standards:
                bands.append((part[start], "ac" in standards))
    return bands


def _limiting(net: Network) -> Iterator[Row]:
    """The radios that carry what a router forwards: its WAN's, or what a switch bridges."""
    radios = list(_on(net))
    by_radio = _by_radio(net)
    inside = _in_bridges(net, radios) if radios and net.routes_nothing else []
    for row in radios:
        if _name(row) in by_radio or row in inside:
            yield row


def _by_radio(net: Network) -> list[str]:
    """The uplinks, and what they are on; of a bridge its ports where it has none but radios."""
    radios = [_name(row) for row in _on(net)]
    names = _uplinks(net)
    off = _off(net) if radios else []
    for name in names if radios else []:
        below = [one for one in _carriers(net, [name]) if one != name and one not in off]
        if all(one in radios or one in names for one in below):
            names = names + [one for one in below if one not in names]
    return names


def _no_other_way(net: Network) -> bool:
    """Return True if all that is forwarded by a limiting radio has no way beside the radios."""
    if net.routes_nothing:
        return True
    radios = [_name(row) for row in _limiting(net)]
    return all(any(one in radios for one in _carriers(net, [name])) for name in _working(net))


def _stations(net: Network) -> Iterator[Command]:
    """The plain stations in a bridge; a CAP's radios are what its manager makes of them."""
    if net.rows.where(CAP, "enabled", "yes"):
        return
    plain = [row for row in _on(net) if row.menu.path == MENUS[0]
             and not row.get("master-interface") and row.get("mode") in STATIONS]  # fmt: skip
    for row in _in_bridges(net, plain):
        yield row.first
