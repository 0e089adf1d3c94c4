"""Packet path: a packet's path through RouterOS, station by station, and the rules for it."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import N_, gettext
from ppslab.course.models.drawing import problem, sentences, table
from rosexplain import decide, drawing
from rosexplain.decide import AROUND, CHIP, NAMES, WORKS, Because, Case
from rosexplain.drawing import Scene
from rosexplain.ordered import unique


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The way, the rules that decided it, and every station up to `at` (facts: packet_path.yml)."""
    case = Case(inputs, facts["details"])
    if case.fasttrack and case.tracking == "no":
        text = N_("FastTrack needs connection tracking: choose auto or yes.")
        return problem("tracking", text)
    way, reasons = decide.way_of(case)
    passed = decide.stations_of(case, way, facts["stations"])
    at = min(max(int(inputs["at"]), 0), len(passed))
    rules = {rule[0]: rule for rule in facts["rules"]}
    decided = [[because or "-", rules[name][1], rules[name][2]] for name, because in reasons]
    first = rules[reasons[0][0]]
    station, state, does = passed[max(at - 1, 0)]
    says = sentences([
        (True, N_("Path of this packet: {names}."), {"names": gettext(NAMES[way])}),
        (True, N_("Deciding rule: {first} ({first_2}.)"),
         {"first": first[1], "first_2": first[2]}),
        (0 < at < len(passed), N_("Station {at}, {title}: {state}."),
         {"at": at, "title": station["title"], "state": _said(state, does)}),
    ])  # fmt: skip
    urls = unique([rules[name][3] for name, _ in reasons])
    return {
        "says": says,
        "warns": _warns(case, way, facts),
        "figures": path_figures([_scene(case, way, passed, reasons[0], first[1])], at),
        "tables": _tables(
            decided,
            passed,
            [[gettext("this path"), facts["seen"].get(way, facts["seen"]["slow"])]]
            + [[gettext("the manual"), url] for url in urls],
            [[rules[name][1], rules[name][2]] for name in facts["beside"]],
        ),
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
    unseen = [f["label"] for f in case.on if f["name"] in facts["policies"]]
    # What FastTrack bypasses too; it translates addresses by itself.
    passed = [f["label"] for f in case.on if f["name"] in facts["policies"] and f["name"] != "nat"]
    by_chip = unseen + ([gettext("the FastTrack rule")] if case.fasttrack else [])
    return sentences([
        (way == CHIP and by_chip, N_("The switch chip bypasses: {names}."),
         {"names": ", ".join(by_chip)}),
        (way == decide.FASTTRACK and passed, N_("This packet bypasses: {names}."),
         {"names": ", ".join(passed)}),
        (True, N_("This path follows MikroTik's manual; no router has confirmed it (ppslab doctor "
                  "asks your router)."), {}),
    ])  # fmt: skip


def _tables(
    decided: list[list[str]],
    passed: list[decide.Stop],
    seen: list[list[str]],
    left_out: list[list[str]],
) -> list[dict[str, Any]]:
    """Rules that decided, in sight; what else one may ask, behind its title."""
    folded = [
        table(
            gettext("Station by station"),
            [gettext("station"), gettext("this packet"), gettext("menu")],
            [[s["title"], _said(state, does), s["menu"]] for s, state, does in passed],
        ),
        table(gettext("See it on your router"), [gettext("what"), gettext("where")], seen),
        table(
            gettext("Rules that this model leaves out"),
            [gettext("RouterOS"), gettext("source")],
            left_out,
        ),
    ]
    for each in folded:
        each["folds"] = True
    header = [gettext("here"), gettext("RouterOS"), gettext("source")]
    return [table(gettext("What decides"), header, decided)] + folded


def path_figures(scenes: list[Scene], lit: int = -1) -> list[dict[str, str]]:
    """The drawings of paths, each lying and standing; a page shows what it has room for."""
    figures = []
    for scene in scenes:
        lying, standing = drawing.wide(scene, lit), drawing.narrow(scene, lit)
        figures.append({"title": lying.title, "label": scene.title, "svg": lying.svg(),
                        "narrow": standing.svg(), "alt": lying.words})  # fmt: skip
    return figures


def _scene(case: Case, way: str, passed: list[decide.Stop], reason: Because, says: str) -> Scene:
    """The packet of the form: a feature decides, or what the manual `says`."""
    features = [f["name"] for f in case.on if f["label"] == reason.words]
    rule = (features + [decide.RULE_OF.get(reason.fact, ("",))[0]])[0]
    at = decide.deciding_stop([way], rule, reason.fact, passed)
    name = gettext(NAMES[way])
    title = gettext("A routed packet") if case.routed else gettext("A bridged frame")
    return Scene(title, name[:1].upper() + name[1:], "", way, decide.plain_stops(passed, at),
                 reason.words or says, "")  # fmt: skip
