"""The judging of a cause and a remedy, and the count of the moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppslab.course.models.cases import remedy, rows
from rosexplain import addresses, probes, repair, sentences
from rosexplain.addresses import span, within
from rosexplain.classify import explain, trace_packet
from rosexplain.language import N_, and_more, either, gettext
from rosexplain.packet import parsed
from rosexplain.rows import rows_of
from rosexplain.typed import plain

TYPES = {
    "default": {"kind": "pfifo", "pfifo-limit": "50"},
    "default-small": {"kind": "pfifo", "pfifo-limit": "10"},
    "ethernet-default": {"kind": "pfifo", "pfifo-limit": "50"},
    "multi-queue-ethernet-default": {"kind": "mq-pfifo", "mq-pfifo-limit": "50"},
    "only-hardware-queue": {"kind": "none"},
    "wireless-default": {"kind": "sfq"},
    "hotspot-default": {"kind": "sfq"},
    "synchronous-default": {"kind": "red"},
    "pcq-upload-default": {"kind": "pcq", "pcq-classifier": "src-address", "pcq-rate": "0"},
    "pcq-download-default": {"kind": "pcq", "pcq-classifier": "dst-address", "pcq-rate": "0"},
}
"""The queue types that every router has: the manual's fact queue-types-of-every-router."""
HARMLESS = N_("Nothing else was harmed")
UNHARMED = N_("Whatever was dropped, encrypted, limited or fast is so still.")
HARMED = N_("Your commands do more than the repair:")
"""The finding of every case, from the probes of its router."""


def causes(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The causes as they are numbered; in a file the right one may come first."""
    return sorted(case["causes"], key=lambda one: one["text"])


def cause(case: dict[str, Any], word: str) -> dict[str, Any]:
    """Return a verdict on a cause, by its number or `name`: `right`, and a sentence.

    ValueError: no such cause.
    """
    numbered = causes(case)
    for at, one in enumerate(numbered):
        if word in (one["name"], str(at + 1)):
            why = one.get("but")
            return {"right": not why, "name": one["name"], "says": why or one["text"] + "."}
    names = ", ".join([one["name"] for one in numbered])
    raise ValueError(
        "no cause " + repr(word) + ": choose 1 to " + str(len(numbered)) + ", or one of " + names
    )


def judge(
    case: dict[str, Any],
    typed: str,
    base: dict[str, Any],
    properties: dict[str, list[str]] | None = None,
) -> dict[str, Any]:
    """The router after the commands that were typed; `base`: rosexplain's rules.

    `refused` and `notes` as in `remedy.Applied`; where a line is refused, or nothing was changed,
    nothing is judged: the checks would tell what to do.
    `findings`: of each check [its `says`, pass or fail, its sentence, what is there];
    `commands`: how many were typed; `solved`; `counts`: whether it is a move, as it is if it was
    judged and a command changed the router.
    """
    result = remedy.applied(case, typed, properties or {})
    looked = result.changes and not result.refused
    findings = findings_of(case, result, base) if looked else []
    return {
        "refused": result.refused,
        "notes": result.notes,
        "findings": findings,
        "commands": len(result.typed.commands),
        "solved": bool(findings) and all(one[1] == "pass" for one in findings),
        "counts": bool(findings),
    }


def findings_of(
    case: dict[str, Any], result: remedy.Applied, base: dict[str, Any]
) -> list[list[str]]:
    """Ask each check of a case, and whether anything else was harmed."""
    explanation = explain([result.router, result.typed], base)
    findings = [_finding(check, explanation) for check in case["check"]]
    return findings + [_harm(case, result, explanation, base)]


_LAST: dict[str, Any] = {}


def _repair(case: dict[str, Any], router: Any, base: dict[str, Any]) -> Any:
    """The probes of a case's router as it was; asked once while the same case is judged."""
    if _LAST.get("router") is not router:
        printed = "\n".join([output["prints"] for output in case["outputs"]])
        _LAST["repair"] = repair.Repair(explain([router], base), _addresses(printed))
        _LAST["router"] = router
    return _LAST["repair"]


def _addresses(printed: str) -> list[str]:
    """The IPv4 addresses in what a router printed, each once."""
    text = "".join([letter if letter in "0123456789." else " " for letter in printed])
    addresses: list[str] = []
    for word in text.split():
        if word.count(".") == 3 and word not in addresses:
            addresses.append(word)
    return addresses


def _harm(case: dict[str, Any], result: remedy.Applied, after: Any, base: dict[str, Any]) -> Any:
    """The finding of the probes: whatever a remedy takes away that the case does not allow."""
    lines: list[str] = []
    if result.typed.commands:
        repair = _repair(case, result.router, base)
        may = case.get("may") or []
        texts: list[str] = []
        for harm in repair.every_harm(after):
            text = harm.text(repair.before.net)
            if text not in texts and not [one for one in may if _allows(one, harm, repair, after)]:
                texts.append(text)
                lines.append(_in_words(text, harm))
        lines += _beside(case, repair.before.net.rows, after.net.rows)
    more = len(lines) - rows.SHOWN
    shown = lines[: rows.SHOWN] + ([and_more(more)] if more > 0 else [])
    state = "fail" if lines else "pass"
    says = HARMED if lines else UNHARMED
    return [gettext(HARMLESS), state, gettext(says), "\n".join(shown)]


def _in_words(text: str, harm: Any) -> str:
    """A harm's sentence for a learner; of a rule's packets with one that `explain` takes too."""
    text = text.replace(remedy.TYPED + ":", gettext("your line") + " ")
    example = _spelled(harm.packet) if harm.packet is not None and harm.line is not None else ""
    if example and harm.kind in (probes.OPENED, probes.CUT):
        text += " " + gettext("One such packet: {example}").format(example=example)
    return text[:1].upper() + text[1:] if text[:1] != "/" else text


def _spelled(packet: Any) -> str:
    """A packet as `--packet` takes it, e.g. `in=p1 dst=198.18.2.2:443 tcp new`.

    Empty: it has no interface to come in by.
    """
    if not packet.ins:
        return ""
    words = ["in=" + packet.ins[0]] + (["chain=input"] if packet.chain == "input" else [])
    for name, ranges, port in (
        ("src", packet.src, packet.src_port),
        ("dst", packet.dst, packet.dst_port),
    ):
        if ranges:
            number: int = ranges[0][0]
            word = (
                name
                + "="
                + addresses.plain(number.to_bytes(4 if packet.family == 4 else 16, "big"))
            )
            words.append(word + (":" + str(port) if port is not None else ""))
    return " ".join(words + [packet.protocols[0], packet.state])


def touches(case: dict[str, Any], typed: str) -> dict[str, list[str]]:
    """By which properties, or `remove` and `move`, commands touch the rows of each menu."""
    result = remedy.applied(case, typed, {})
    before, after = rows_of([result.router]), rows_of([result.router, result.typed])
    every: dict[str, list[str]] = {}
    for touch in repair.touched(before, after):
        known = every.setdefault(touch.menu, [])
        known += [name for name in touch.by if name not in known]
    return every


PROBED = ("/ip/firewall/filter", "/ip/firewall/mangle", "/ip/firewall/raw")
"""Menus of whose new rows the probes see every effect."""
LISTS = "/ip/firewall/address-list"
"""A list of another name than those that are there matches nothing of theirs."""


def _beside(case: dict[str, Any], before: Any, after: Any) -> list[str]:
    """Return the touches that no right remedy needs, where the probes see no effect."""
    lines: list[str] = []
    allowed: dict[str, list[str]] = case.get("touches") or {}
    for touch in repair.touched(before, after) if allowed else []:
        beside = [name for name in touch.by if name not in allowed.get(touch.menu, [])]
        known = [row.get("list") for row in before.all_of(LISTS)]
        own = touch.menu == LISTS and touch.line.properties.get("list") not in known
        seen = touch.line.file == remedy.TYPED and (own or touch.menu in PROBED)
        if beside and not seen:
            touched = touch.menu + " " + ", ".join(beside)
            says = gettext("{touched}: what is set there has no part in this fault.")
            lines.append(says.format(touched=touched))
    return lines


def _allows(may: dict[str, Any], harm: Any, repair: Any, after: Any) -> bool:
    """Return True if a case lets a remedy do this harm: all that it names is so."""
    line = harm.line
    if may["harm"] != harm.kind or ("menu" in may and (line is None or line.menu != may["menu"])):
        return False
    if "rate" in may and not rows.within(may["rate"], str(harm.now)):
        return False
    if may.get("by"):
        row = repair.dropped_by(harm, after)
        if row is None or row.get("comment") not in may["by"]:
            return False
    return _is_of(may, harm.packet)


def _is_of(may: dict[str, Any], packet: Any) -> bool:
    """Return True for a packet of the interfaces, the state and the host that a case names."""
    if not [name for name in ("host", "in", "out", "state") if name in may]:
        return True
    if packet is None or may.get("in") not in [None] + (packet.ins or []):
        return False
    if may.get("out") not in [None] + (packet.outs or []):
        return False
    if may.get("state") not in (None, packet.state):
        return False
    ends = [end[0] for end in (packet.src, packet.dst) if end]
    return "host" not in may or bool([end for end in ends if within(end, span(may["host"]))])


def _finding(check: dict[str, Any], explanation: Any) -> list[str]:
    good, lines = False, []
    every = check.get("any") or [[check]]
    asked = _asked([look for looks in every for look in looks])
    for looks in every:
        looked = [_look(look, explanation, asked) for look in looks]
        good = good or all(one[0] for one in looked)
        for one in looked:
            for line in one[1].split("\n"):
                if line and line not in lines:
                    lines.append(line)
    state = "pass" if good else "fail"
    return [check["says"], state, check[state], "\n".join(lines)]


def _asked(looks: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The properties that are asked about, by menu: each row is shown once, with all of them."""
    asked: dict[str, list[str]] = {}
    for look in looks:
        if look.get("menu"):
            names = sorted(look.get("where") or {}) + sorted(look.get("expect") or {})
            known = asked.setdefault(look["menu"], [])
            known += [name for name in names if name not in known]
    return asked


def _look(look: dict[str, Any], explanation: Any, asked: dict[str, list[str]]) -> tuple[bool, str]:
    """Return True if a check's thing is as it must be, and the thing in words."""
    if look.get("queue"):
        return _queued(look, explanation)
    if look.get("untracked") is not None:
        return _untracked(look, explanation)
    if look.get("packet"):
        ways = trace_packet(explanation, parsed(look["packet"]))["path"]
        good, seen = _on(ways, look)
        return good, look["packet"] + ": " + seen
    if look.get("class"):
        verdicts = [one for one in explanation.classes if one.traffic.name == look["class"]]
        good, seen = _on([way for one in verdicts for way in one.ways], look)
        return good, "; ".join([one.traffic.title for one in verdicts]) + ": " + seen
    if look.get("rule"):
        lines = explanation.met.get(look["rule"], [])
        named = "\n".join([line.text for line in lines[: rows.SHOWN]])
        return (look["rule"] in explanation.met) == look["met"], named
    menu, every = look["menu"], explanation.net.rows.all_of
    there = [plain(row) for row in every(menu)]
    if menu in remedy.USERS:
        there = _with_types(there, menu, explanation)
    names = asked[menu]
    good, mine = rows.look(look, there)
    seen = "\n".join([_short(row, names) for row in (mine or there)[: rows.SHOWN]])
    lines = [line for line in seen.split("\n") if line.strip() and line != "(none)"]
    return good, "\n".join([menu + ": " + line for line in lines])


def _on(ways: list[str], check: dict[str, Any]) -> tuple[bool, str]:
    """Return True if a check allows all ways, and the ways in words."""
    good = bool(ways) and all(way in check["path"] for way in ways)
    return good, either([sentences.path_of(way) for way in ways]) or gettext(
        "no such packet passes"
    )


def _short(row: Mapping[str, str], asked: list[str]) -> str:
    """A row in short: which one it is, and the properties that are asked about."""
    which = [name for name in ("name", "interface", "comment") if row.get(name)][:1]
    return rows.in_short(row, which + asked)


def _queued(look: dict[str, Any], explanation: Any) -> tuple[bool, str]:
    """Return True if a queue that takes a packet, by its mark, is as it must be."""
    packet, wanted = look["packet"], look["queue"]
    marks: list[str] = []
    for step in trace_packet(explanation, parsed(packet))["steps"]:
        if step["action"] != "mark-packet" or step["verdict"] == "no":
            continue
        # What only may match leaves the mark that the packet had before.
        before = [] if step["verdict"] == "yes" else marks
        marks = before + [step["command"].properties.get("new-packet-mark", "")]
    tree = [plain(row) for row in explanation.net.rows.all_of("/queue/tree")]
    taking = [
        row
        for row in _with_types(tree, "/queue/tree", explanation)
        if [mark for mark in marks if mark in row.get("packet-mark", "").split(",")]
    ]
    good = any(rows.fits(wanted, row) for row in taking)
    names = ["packet-mark", "parent"] + sorted([name for name in wanted if name[:5] == "queue"])
    marked = gettext("marked {marks}").format(marks=either(marks))
    lines = [packet + ": " + (marked if marks else gettext("no packet mark"))]
    return good, "\n".join(lines + ["/queue/tree: " + _short(row, names) for row in taking])


def _untracked(look: dict[str, Any], explanation: Any) -> tuple[bool, str]:
    """Return True if raw leaves a packet untracked, or tracked, for certain; and which it does."""
    steps = trace_packet(explanation, parsed(look["packet"]))["steps"]
    verdicts = [one["verdict"] for one in steps if one["action"] == "notrack"]
    sure, perhaps = "yes" in verdicts, "perhaps" in verdicts
    untracked = gettext("not tracked") if sure else gettext("perhaps not tracked")
    seen = untracked if sure or perhaps else gettext("tracked")
    good = sure if look["untracked"] else not (sure or perhaps)
    return good, look["packet"] + ": " + seen


def _with_types(there: list[dict[str, str]], menu: str, explanation: Any) -> list[dict[str, str]]:
    every = explanation.net.rows.all_of("/queue/type")
    types = _types([plain(row) for row in every])
    return [_with_type(row, menu, types) for row in there]


def _types(typed: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """The router's queue types by name: those that it has of itself, and what was typed."""
    types = {name: dict(TYPES[name]) for name in TYPES}
    for row in typed:
        name = row.get("name", "")
        types[name] = dict(types.get(name) or {})
        types[name].update(row)
    return types


def _with_type(row: dict[str, str], menu: str, types: dict[str, dict[str, str]]) -> dict[str, str]:
    """A queue's row with its type's values, as `queue.kind`; of a simple queue `up.`, `down.`."""
    names = (row.get("queue") or remedy.USERS[menu]).split("/")
    sides = ["up", "down"] if menu == "/queue/simple" else ["queue"]
    whole = dict(row)
    for at, side in enumerate(sides):
        of = types.get(names[at] if at < len(names) else names[0]) or {}
        for name in of:
            whole[side + "." + name] = of[name]
    return whole


def score(
    case: dict[str, Any], asked: int, hints: int, wrong: int, read: bool = False
) -> dict[str, Any]:
    """The moves so far beside the par: `moves`, `par`, `aided`, and sentences.

    `asked`: commands that the router answered, each counted once; `hints`: hints read; `wrong`:
    wrong causes and remedies that were not yet one; `read`: whether the solution was read.
    `so_far`: after each answer; `says`: at the end.
    """
    moves, par = asked + hints + wrong, case["par"]
    one_move = gettext("1 move; par is {par}.")
    says = [(one_move if moves == 1 else gettext("{moves} moves; par is {par}."))]
    if hints:
        one_hint = gettext("With help (1 hint), it does not count as solved unaided.")
        more = gettext("With help ({hints} hints), it does not count as solved unaided.")
        says.append(one_hint if hints == 1 else more)
    elif read:
        says.append(
            gettext("With help (a look at the solution), it does not count as solved unaided.")
        )
    so_far = gettext("Moves: {moves}. Par: {par}. Hints: {hints} of {all}.")
    values = {"moves": moves, "par": par, "hints": hints, "all": len(case["hints"])}
    return {
        "moves": moves,
        "par": par,
        "aided": bool(hints) or read,
        "so_far": so_far.format(**values),
        "says": " ".join(says).format(**values),
    }
