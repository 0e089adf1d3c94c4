"""The MikroTik for a line: at most three, each with its figures, its ports and what is not known.

Devices' pages judge by the same rules (`model/device_choice`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ppslab.core.text.grouping import grouped
from ppslab.core.text.language import N_, gettext
from ppslab.course.models.drawing import fixed, problem, table
from ppslab.model import device_choice
from ppslab.model.device_choice import FASTTRACK, Judgement, Part


@dataclass(frozen=True)
class Rate:
    """A published rate, as the facts have it."""

    mbps: float
    when: str
    at_least: bool
    quality: str


@dataclass(frozen=True)
class Offer:
    """A device, as the facts have it."""

    name: str
    page: str
    ports: str
    cores: int | None


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
        return problem("down" if down <= 0 else "up", N_("A rate in Mbit/s is 1 or more."))
    firewall, queues = inputs["firewall"], bool(inputs["queues"])
    asked = device_choice.asked(firewall == "rules", queues, firewall == "fasttrack")
    asked += (["PPPoE"] if inputs["pppoe"] else []) + (
        [inputs["vpn"]] if inputs["vpn"] != "none" else []
    )
    judged = []
    for row in facts["devices"]:
        offer = Offer(row["name"], row["page"], row["ports"], row["cores"])
        parts = []
        for name in asked:
            pair = row["rates"].get(name, (None, None))
            result, most = [Rate(*rate) if rate else None for rate in pair]
            parts.append(device_choice.part(name, down + up, result, most))
        carried = device_choice.carry(tuple(row["speeds"]), max(down, up), float(inputs["port"]))
        judged.append(Judgement(offer, tuple(parts), carried))
    best = device_choice.recommended(judged)
    says = [_heading(best, down, up)]
    if queues and firewall == "fasttrack":
        says.append(
            gettext("Packets that a simple queue limits do not take FastTrack, so 25 rules count.")
        )
    if best:
        says.append(gettext(SWITCHED))
    words = facts["words"]
    header = [gettext("device"), gettext("reasons"), gettext("ports"), gettext("not known")]
    rows = [
        [one.device.name, reasons(one, words), one.device.ports, unknown(one, words)]
        for one in best
    ]
    shown = table(gettext("At most three, each held against your line alone"), header, rows)
    shown["pages"] = [one.device.page for one in best]
    return {
        "of": "routeros",
        "says": says,
        "tables": [shown] if best else [],
        "values": {"devices": [[one.device.name, one.answer] for one in best]},
    }


def reasons(judgement: Judgement, words: dict[str, str]) -> str:
    """The figures that speak for a device: `25 filter rules: 3100 Mbit/s (by 2025)`."""
    parts = [words.get(part.name, part.name) + ": " + _rate(part) for part in judgement.known]
    return "; ".join(parts)


def unknown(judgement: Judgement, words: dict[str, str]) -> str:
    """The parts that no figure answers; `-` where every part has one."""
    lacking = []
    for part in judgement.parts:
        name = words.get(part.name, part.name)
        if not (part.result or part.most):
            lacking.append(gettext("{name}: no figure in our copies").format(name=name))
        elif part.enough is None and part.most:
            lacking.append(gettext("where between these two it is"))
        elif part.enough is None and not part.result.at_least:
            lacking.append(gettext("how much FastTrack adds"))
        elif part.enough is None:
            lacking.append(gettext("{name}: more was not tried").format(name=name))
    return "; ".join(lacking) or "-"


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
    if best[0].answer != device_choice.ENOUGH:
        text = gettext(
            "For {total} Mbit/s, download plus upload, the figures leave it open for every device; "
            "these come nearest."
        )
        return text.format(total=total)
    text = gettext("For {total} Mbit/s, download plus upload, the {name} is enough.")
    return text.format(total=total, name=best[0].device.name)
