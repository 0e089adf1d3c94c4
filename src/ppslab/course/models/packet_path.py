"""Packet path: a packet's path through RouterOS, station by station, and the rules for it."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, figure, problem, table
from rosexplain import decide
from rosexplain.decide import AROUND, CHIP, NAMES, WORKS, Case


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The way, the rules that decided it, and every station up to `at` (facts: packet_path.yml)."""
    case = Case(inputs, facts["details"])
    if case.fasttrack and case.tracking == "no":
        return problem(
            "tracking", gettext("FastTrack needs connection tracking: choose auto or yes.")
        )
    way, reasons = decide.way_of(case)
    passed = decide.stations_of(case, way, facts["stations"])
    at = min(max(int(inputs["at"]), 0), len(passed))
    rules = {rule[0]: rule for rule in facts["rules"]}
    decided = []
    for name, because in reasons:
        _, says, cited, _ = rules[name]
        decided.append([because or "-", says, cited])
    says = [gettext("Path of this packet: {names}.").format(names=gettext(NAMES[way]))]
    first = rules[reasons[0][0]]
    says.append(
        gettext("Deciding rule: {first} ({first_2}.)").format(first=first[1], first_2=first[2])
    )
    if at < len(passed) and at > 0:
        station, state, does = passed[at - 1]
        says.append(
            gettext("Station {at}, {title}: {state}.").format(
                at=at, title=station["title"], state=_said(state, does)
            )
        )
    urls: list[str] = []
    for name, _ in reasons:
        if rules[name][3] not in urls:
            urls.append(rules[name][3])
    return {
        "says": says,
        "warns": _warns(case, way, facts),
        "figures": [drawn(passed, way, at)],
        "tables": [
            table(
                gettext("What decides"),
                [gettext("here"), gettext("RouterOS"), gettext("source")],
                decided,
            ),
            table(
                gettext("Station by station"),
                [gettext("station"), gettext("this packet"), gettext("menu")],
                [[s["title"], _said(state, does), s["menu"]] for s, state, does in passed],
            ),
            table(
                gettext("See it on your router"),
                [gettext("what"), gettext("where")],
                [[gettext("this path"), facts["seen"].get(way, facts["seen"]["slow"])]]
                + [[gettext("the manual"), url] for url in urls],
            ),
            table(
                gettext("Rules that this model leaves out"),
                [gettext("RouterOS"), gettext("source")],
                [[rules[name][1], rules[name][2]] for name in facts["beside"]],
            ),
        ],
        "steps": len(passed),
        "values": {
            "way": way,
            "rules": [name for name, _ in reasons],
            "works": [s["name"] for s, state, _ in passed if state == WORKS],
            "around": [s["name"] for s, state, _ in passed if state == AROUND],
        },
    }


def _said(state: str, does: str) -> str:
    return gettext("passed: {does}").format(does=does) if state == decide.IDLE else does


def _warns(case: Case, way: str, facts: dict[str, Any]) -> list[str]:
    warnings = []
    unseen = [f["label"] for f in case.on if f["name"] in facts["policies"]]
    # What FastTrack bypasses too; it translates addresses by itself.
    passed = [f["label"] for f in case.on if f["name"] in facts["policies"] and f["name"] != "nat"]
    rule = [gettext("the FastTrack rule")] if case.fasttrack else []
    if way == CHIP and unseen + rule:
        warnings.append(
            gettext("The switch chip bypasses: {names}.").format(names=", ".join(unseen + rule))
        )
    if way == decide.FASTTRACK and passed:
        warnings.append(gettext("This packet bypasses: {names}.").format(names=", ".join(passed)))
    warnings.append(
        gettext(
            "This path follows MikroTik's manual; no router has confirmed it (ppslab doctor asks "
            "your router)."
        )
    )
    return warnings


ROW = 44
LINE, ASIDE = 52, 18


def drawn(passed: list[Any], way: str, at: int) -> dict[str, str]:
    """The way as a drawing, up to station `at`."""
    drawing = Drawing(ROW * len(passed) + 44)
    y = 4.0
    points: list[tuple[float, float]] = []
    dots: list[tuple[float, str]] = []
    for number, (station, state, does) in enumerate(passed, start=1):
        around = state == AROUND
        middle = y + ROW / 2 - 3
        look = "w-on" if number == at else "w-off" if around else "w-box"
        drawing.rect(84, y, WIDTH - 92, ROW - 8, look)
        drawing.text(94, y + 16, station["title"], "start", "w-text" if around else "w-strong")
        drawing.text(94, y + 32, _said(state, does), "start", "w-small")
        if number <= at:
            x = float(ASIDE if around else LINE)
            points += [(x, y + 2), (x, y + ROW - 10)]
            if not around:
                dots.append((middle, state))
                drawing.line(LINE, middle, 84, middle)
        y += ROW
    if points:
        drawing.path(points, "w-1")
    for middle, state in dots:
        drawing.circle(LINE, middle, 7 if state == WORKS else 4, "w-1")
    drawing.circle(14, y + 16, 7, "w-1")
    drawing.text(28, y + 21, gettext("works"), "start", "w-small")
    drawing.circle(94, y + 16, 4, "w-1")
    drawing.text(106, y + 21, gettext("nothing to do"), "start", "w-small")
    drawing.text(
        232, y + 21, gettext("no dot, line beside the station: bypassed"), "start", "w-small"
    )
    shown = passed[:at]
    words = "; ".join([f"{s['title']}: {_said(state, does)}" for s, state, does in shown])
    return figure(
        gettext("The packet's path: {names}").format(names=gettext(NAMES[way])),
        drawing,
        words + "." if words else gettext("No station yet."),
    )
