"""The MikroTik for a line: at most three, each with its figures, its ports and what is not known.

Devices' pages judge by the same rules (`model/device_choice`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ppslab.core.text.grouping import grouped
from ppslab.core.text.language import N_, gettext
from ppslab.course.models.drawn.drawing import fixed, problem, table
from ppslab.model import device_choice
from ppslab.model.device_choice import FASTTRACK, Judgement, Names, Part


@dataclass(frozen=True)
class Rate:
    """A published rate, as the facts have it."""

    mbps: float
    year: int | None
    when: str
    at_least: bool
    quality: str


@dataclass(frozen=True)
class Offer:
    """A device, as the facts have it."""

    name: str
    ports: str
    port_speeds: tuple[int, ...]
    cores: int | None
    rates: dict[str, Rate]
    sold: bool = True


ROUNDED = "rounded"

SWITCHED = N_(
    "A switch chip with L3 hardware offload forwards more than these figures of the CPU, if the "
    "configuration lets it."
)


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The recommended devices for `down` and `up` Mbit/s, with a table of reasons.

    `firewall` is `fasttrack`, `rules` or `none`; `queues` and `pppoe` are switches; `vpn` is the
    name of a tunnel or `none`; `port` the speed that a port must have [Mbit/s].
    """
    down, up = float(inputs["down"]), float(inputs["up"])
    if down <= 0 or up < 0:
        return problem("down" if down <= 0 else "up", gettext("A rate in Mbit/s is 1 or more."))
    names = Names(**facts["names"])
    chosen = names.asked(
        inputs["firewall"] == "rules", bool(inputs["queues"]), inputs["firewall"] == "fasttrack"
    )
    tunnels = (["PPPoE"] if inputs["pppoe"] else []) + (
        [inputs["vpn"]] if inputs["vpn"] != "none" else []
    )
    line = max(down, up)
    judged = []
    for each in facts["devices"]:
        offer = _offer(each)
        parts = [_part(offer, name, names, down + up) for name in chosen + tunnels]
        carried = device_choice.carry(offer.port_speeds, line, float(inputs["port"]))
        judged.append(Judgement(offer, tuple(parts), carried))
    best = device_choice.recommended(judged)
    pages = {each["name"]: each["page"] for each in facts["devices"]}
    words = facts["words"]
    says = [_heading(best, down, up)]
    if inputs["queues"] and inputs["firewall"] == "fasttrack":
        says.append(
            gettext("Packets that a simple queue limits do not take FastTrack, so 25 rules count.")
        )
    if best:
        says.append(gettext(SWITCHED))
    header = [gettext("device"), gettext("reasons"), gettext("ports"), gettext("not known")]
    rows = [
        [one.device.name, reasons(one, words), one.device.ports, unknown(one, words)]
        for one in best
    ]
    title = gettext("At most three, each held against your line alone")
    shown = table(title, header, rows)
    shown["pages"] = [pages[one.device.name] for one in best]
    return {
        "of": "routeros",
        "says": says,
        "tables": [shown] if best else [],
        "values": {"devices": [[one.device.name, one.answer] for one in best]},
    }


def reasons(judgement: Judgement, words: dict[str, str]) -> str:
    """The figures that speak for a device: `25 filter rules: 3100 Mbit/s (by 2025)`."""
    said = []
    for part in judgement.known:
        name = words.get(part.name, part.name)
        said.append(name + ": " + _rate(part))
    return "; ".join(said)


def unknown(judgement: Judgement, words: dict[str, str]) -> str:
    """What no figure answers; empty where every part has one."""
    said = []
    for part in judgement.parts:
        name = words.get(part.name, part.name)
        if not (part.result or part.most):
            said.append(gettext("{name}: no figure in our copies").format(name=name))
        elif part.enough is None and part.most:
            said.append(gettext("where between these two it is"))
        elif part.enough is None and not part.result.at_least:
            said.append(gettext("how much FastTrack adds"))
        elif part.enough is None:
            said.append(gettext("{name}: more was not tried").format(name=name))
    return "; ".join(said) or "-"


def _rate(part: Part) -> str:
    if part.most and part.result:
        text = gettext("between {least} and {most}")
        return text.format(least=_amount(part.result), most=_amount(part.most))
    if part.most:
        return gettext("at most {most}").format(most=_amount(part.most))
    if part.result.at_least or part.name == FASTTRACK:
        return gettext("at least {least}").format(least=_amount(part.result))
    return _amount(part.result)


def _amount(rate: Rate) -> str:
    amount = grouped(fixed(rate.mbps, 0)) + " Mbit/s (" + str(rate.when) + ")"
    # A figure that somebody rounded before it reached us.
    return gettext("about {rate}").format(rate=amount) if rate.quality == ROUNDED else amount


def _heading(best: list[Judgement], down: float, up: float) -> str:
    total = grouped(fixed(down + up, 0))
    if not best:
        text = gettext(
            "No figure in our copies is enough: {total} Mbit/s, download plus upload. Look at the "
            "Test results of a larger router."
        )
        return text.format(total=total)
    sure = [one.device.name for one in best if one.answer == device_choice.ENOUGH]
    if not sure:
        text = gettext(
            "For {total} Mbit/s, download plus upload, the figures leave it open for every device; "
            "these come nearest."
        )
        return text.format(total=total)
    text = gettext("For {total} Mbit/s, download plus upload, the {name} is enough.")
    return text.format(total=total, name=sure[0])


def _offer(row: dict[str, Any]) -> Offer:
    rates = {}
    for name, rate in row["rates"].items():
        rates[name] = Rate(rate[0], rate[1], rate[2], rate[3], rate[4])
    return Offer(row["name"], row["ports"], tuple(row["speeds"]), row["cores"], rates)


def _part(offer: Offer, name: str, names: Names, wanted: float) -> Part:
    if name != FASTTRACK:
        return device_choice.part(name, offer.rates.get(name), wanted)
    rules = offer.rates.get(name + " " + names.rules)
    return device_choice.between(name, rules, offer.rates.get(name + " " + names.fast_path), wanted)
