"""A change that is tried: the same router before and after it, by class of traffic and by probe.

The change is commands that are typed behind an export, or a second export of the same router.

    change = typed.applied([export], "/ip/settings/set allow-fast-path=no", typed.FILE)
    plain = answer([export], change, base, [], [])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosexplain import limits, matching, printed, probes, report, secrets, sentences
from rosexplain.alike import class_of
from rosexplain.classify import Explanation, explain
from rosexplain.decide import DROPPED, UNKNOWN, Verdict
from rosexplain.ending import place_of
from rosexplain.language import N_, and_more, few_of, gettext
from rosexplain.ordered import unique
from rosexplain.parse import Command, Export
from rosexplain.printed import Printed
from rosexplain.probes import (
    CAPPED,
    CUT,
    KINDS,
    OPENED,
    PLAIN,
    SLOWER,
    UNLIMITED,
    UNTRANSLATED,
    Harm,
)
from rosexplain.queues import rate_words
from rosexplain.remedy import rank_of
from rosexplain.repair import Repair, rank_of_paths, touched
from rosexplain.rows import Row
from rosexplain.sharing import Replaced
from rosexplain.typed import FILE, applied

FASTER, SAME, OTHER, LOST = "faster", "same", "other", "lost"
"""What becomes of a class, beside SLOWER: `other` paths are neither faster nor slower."""
MOST_LINES = 3
MOST_ALIKE = 2
"""Probes of one kind that are named; the rest are counted."""
NAMING = ("src-address", "dst-address", "to-addresses", "address", "target")
"""The properties by which a row names hosts."""
TITLES = ((FASTER, N_("Faster")), (SLOWER, N_("Slower")), (LOST, N_("Lost")),
          ("gained", N_("Gained")), (OTHER, N_("Another path")), ("warnings", N_("New warnings")),
          ("settled", N_("No longer warned of")), ("limits", N_("Limits")),
          (SAME, N_("The same")))  # fmt: skip
"""The parts of an answer, in the order that they are shown in."""
GAINS = {
    PLAIN: N_("{probe} is encrypted, which it was not ({line})."),
    UNTRANSLATED: N_("{probe} is translated, which it was not ({line})."),
    UNLIMITED: N_("{probe} hold, which they did not ({line})."),
}
DROPPED_NOW = N_("{probe} is dropped, which passed ({line}).")
PASSES_NOW = N_("{probe} passes, which was dropped ({line}).")


def answer(
    exports: list[Export],
    change: Export | None,
    base: dict[str, Any],
    gone: list[tuple[str, int]],
    outputs: list[Printed],
    share: bool = False,
) -> dict[str, Any]:
    """The comparison as it may be shown, of a router and a change; None: of two exports.

    `gone`, `outputs`: lines that are left out before and after, and what the router printed.
    `share`: names and addresses are replaced (`sharing`).
    """
    every = exports + ([change] if change is not None else [])
    replaced = Replaced(every, outputs) if share else None
    if replaced is not None:
        every, outputs, gone = replaced.exports, replaced.outputs, replaced.lines(gone)
    if change is None:
        before, after = two(every[0], every[1], base)
        if not any(menu in before.net.rows.menus for menu in after.net.rows.menus):
            why = "the two exports have no menu in common; --parts reads them as one router's"
            raise ValueError(why)
    else:
        evidence = printed.news(every[:-1], [c for output in outputs for c in output.commands])
        before, after = behind(every[:-1], every[-1], base, gone, evidence)
    finished = report.Answer(after, replaced=replaced).finished(compared(before, after))
    plain: dict[str, Any] = finished
    return plain


def comparison(
    exports: list[Export],
    typing: str,
    read: Callable[[str], str],
    base: dict[str, Any],
    gone: list[tuple[str, int]],
    outputs: list[Printed],
    share: bool,
) -> dict[str, Any]:
    """The `answer` that a command line asks for; ValueError where an option is wrong.

    `typing`: COMMANDS, or `@FILE`, which `read` gives the text of; empty: two exports.
    """
    change = None
    if typing:
        file = typing[1:] if typing[0] == "@" else ""
        change = applied(exports, read(file) if file else typing, file or FILE)
    elif len(exports) > 2:
        raise ValueError("two exports are compared; --parts reads more as one router's")
    elif gone:
        raise ValueError("a comparison of two exports takes no --without")
    return answer(exports, change, base, gone, outputs, share)


def behind(
    exports: list[Export],
    typed: Export,
    base: dict[str, Any],
    gone: list[tuple[str, int]],
    evidence: list[Command],
) -> tuple[Explanation, Explanation]:
    """The explanations of a router as it is, and with commands typed at it."""
    before = explain(exports, base, gone, evidence)
    return before, changed(before, typed)


def changed(before: Explanation, typed: Export) -> Explanation:
    """The explanation of the same router with commands typed at it."""
    net = before.net
    after = explain(net.exports + [typed], net.base, before.without, before.evidence, net.version)
    after.net.files = net.files
    return after


def two(before: Export, after: Export, base: dict[str, Any]) -> tuple[Explanation, Explanation]:
    """The explanations of two exports of one router; rows that are in both count as the same."""
    explained = explain([before], base), explain([after], base)
    for one in explained:
        one.net.files = [before.file, after.file]
    rows = explained[0].net.rows
    for menu in explained[1].net.rows.menus:
        _paired(rows.all_of(menu), explained[1].net.rows.all_of(menu))
    return explained


def _paired(rows: list[Row], others: list[Row]) -> None:
    """Give the rows of AFTER the lines of the same ones of BEFORE, by which probes know them.

    Those with the same values are the same, and of the rest those with the same name.
    """
    for key_of in (_content, _name):
        left: dict[str, list[Row]] = {}
        taken = {id(row.first) for row in others}
        for row in rows:
            if id(row.first) not in taken:
                left.setdefault(key_of(row), []).append(row)
        own = {id(row.first) for row in rows}
        for row in others:
            key = key_of(row)
            if id(row.first) not in own and key and left.get(key):
                row.first = left[key].pop(0).first


def _content(row: Row) -> str:
    values = [[name, row.get(name)] for name in row.names if row.get(name) and name != "comment"]
    return str(sorted(values)) + str(row.on)


def _name(row: Row) -> str:
    return row.name or row.get("interface") or row.get("address")


def compared(before: Explanation, after: Explanation, most: int = 0) -> dict[str, Any]:
    """The difference: the parts of TITLES that say something; `worse`, `classes`, `harms`.

    `probes`, `left`: how many were asked, and how many were not; `most`: as of `Repair`.
    """
    parts: dict[str, list[str]] = {name: [] for name, _ in TITLES}
    classes = [_class(*pair) for pair in _pairs(before, after)]
    for row in classes:
        parts[row["change"]].append(_sentence(row))
    repair = Repair(before, _named(before, after), most)
    harms = _harms(parts, repair.harms(after), before, after)
    _limits(parts, before, after)
    warned = _notes(parts, before, after)
    return {
        "worse": bool(parts[SLOWER] or parts[LOST]),
        "says": _of_routers(before, after) + _in_short(parts),
        "parts": [
            {"part": name, "title": gettext(title), "says": parts[name]}
            for name, title in TITLES
            if parts[name]
        ],
        "classes": classes,
        "harms": harms,
        "warned": warned,
        "probes": len(repair.probes),
        "left": repair.left,
    }


def _of_routers(before: Explanation, after: Explanation) -> str:
    """Name the model and the RouterOS of both, where they are not the same."""
    routers = [
        [
            secrets.model(one.net.model, one.net.devices),
            "RouterOS " + secrets.version(one.net.version),
        ]
        for one in (before, after)
    ]
    words = [was + " -> " + now + ". " for was, now in zip(*routers, strict=True) if was != now]
    return "".join(words)


def _in_short(parts: dict[str, list[str]]) -> str:
    """The change in one sentence."""
    words = [
        gettext(text)
        for name, text in (
            (FASTER, N_("something gets faster")),
            (SLOWER, N_("something gets slower")),
            (LOST, N_("something is lost")),
        )
        if parts[name]
    ]
    if words:
        text = gettext(", ").join(words)
        return _capital(text) + "."
    if any(parts[name] for name in (OTHER, "gained", "warnings", "settled")):
        return gettext("Nothing gets faster or slower, and nothing is lost.")
    return gettext("No packet takes another path, and no probe is answered otherwise.")


# --- classes -------------------------------------------------------------------------------------


def _pairs(
    before: Explanation, after: Explanation
) -> list[tuple[Explanation, Explanation, Verdict | None, Verdict | None]]:
    """The classes of both, those alike together; None where there are no such packets."""
    pairs = [(one, class_of(after.classes, one.traffic)) for one in before.classes]
    known = [id(other) for _, other in pairs]
    more = [(class_of(before.classes, other.traffic), other) for other in after.classes
            if id(other) not in known]  # fmt: skip
    return [(before, after, one, other) for one, other in pairs + more]


def _class(
    before: Explanation, after: Explanation, one: Verdict | None, other: Verdict | None
) -> dict[str, Any]:
    verdict = one or other
    assert verdict is not None
    return {
        "class": verdict.traffic.name,
        "title": verdict.traffic.title,
        "change": _change(one, other),
        "before": _path(before, one),
        "after": _path(after, other),
    }


def _change(one: Verdict | None, other: Verdict | None) -> str:
    if one is None or other is None:
        return OTHER
    if one.ways == other.ways and one.answer == other.answer:
        return SAME
    if (one.ways == [DROPPED]) != (other.ways == [DROPPED]):
        return LOST if other.ways == [DROPPED] else OTHER
    was, now = _speed(one), _speed(other)
    if now < was:
        return SLOWER
    return FASTER if now > was and other.answer != UNKNOWN else OTHER


def _speed(verdict: Verdict) -> list[int]:
    """Greater where more is fast; the fast path and FastTrack are alike."""
    return rank_of(verdict) + [rank_of_paths(verdict.ways)]


def _path(explanation: Explanation, verdict: Verdict | None) -> dict[str, Any] | None:
    """A class's answer and paths, and the place of the line that decides."""
    if verdict is None:
        return None
    lines = [line for reason in verdict.reasons for line in reason.lines][:1]
    where = [place_of(explanation.net, line) for line in lines]
    return {"answer": verdict.answer, "paths": verdict.ways, "line": "".join(where)}


def _sentence(row: dict[str, Any]) -> str:
    if row["change"] == SAME:
        path = sentences.paths_in_words(row["after"]["paths"], row["after"]["answer"])
        return _capital(str(row["title"]) + ": " + path)
    before, after = _in_words(row["before"]), _in_words(row["after"])
    text = gettext("{title}: {before} -> {after}")
    return _capital(text.format(title=row["title"], before=before, after=after))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _in_words(path: dict[str, Any] | None) -> str:
    if path is None:
        return gettext("no such packets")
    words = sentences.paths_in_words(path["paths"], path["answer"])
    return words + (", " + path["line"] if path["line"] else "")


# --- probes --------------------------------------------------------------------------------------


def _named(before: Explanation, after: Explanation) -> list[str]:
    """The addresses that the changed rows name: their hosts are probed."""
    lines = [touch.line for touch in touched(before.net.rows, after.net.rows)]
    values = [line.properties.get(name, "") for line in lines for name in NAMING]
    return unique([word for value in values for word in value.lstrip("!").split(",") if word])


def _harms(
    parts: dict[str, list[str]], harms: list[Harm], before: Explanation, after: Explanation
) -> list[dict[str, str]]:
    """Sort what the probes say: who is slower or limited, what is lost, what is gained.

    Each with its part and its kind.
    """
    slower = bool(parts[SLOWER])
    kept: list[tuple[str, Harm]] = []
    for harm in harms:
        if harm.kind == CUT and _from_outside(before, harm):
            kept.append(("gained", harm))
        elif harm.kind in (SLOWER, CAPPED):
            kept += [] if harm.kind == SLOWER and slower else [(SLOWER, harm)]
        else:
            kept.append((LOST, harm))
    for part in (SLOWER, LOST, "gained"):
        of_part = [harm for name, harm in kept if name == part]
        for kind in unique([harm.kind for harm in of_part]):
            template = PASSES_NOW if kind == OPENED else KINDS[kind]
            template = DROPPED_NOW if part == "gained" else template
            alike = [harm for harm in of_part if harm.kind == kind]
            parts[part] += _sentences(after, template, alike)
    gains: list[Harm] = []
    kinds = [[part, harm.kind] for part, harm in kept]
    for probe in probes.gained_of(after):
        gain = probe.harm(probe.answer(after), before)
        if gain is not None and gain.kind in GAINS:
            gains.append(gain)
    for kind in (PLAIN, UNTRANSLATED, UNLIMITED):
        alike = [harm for harm in gains if harm.kind == kind]
        parts["gained"] += _sentences(after, GAINS[kind], alike)
        kinds += [["gained", kind] for _ in alike]
    return [{"part": part, "kind": kind} for part, kind in kinds]


def _from_outside(explanation: Explanation, harm: Harm) -> bool:
    """Return True if it is about new packets from the internet: that they end is a guard."""
    packet, net = harm.packet, explanation.net
    if packet is None or packet.state != "new":
        return False
    return bool(packet.ins) and all(name in net.wan for name in packet.ins or [])


def _sentences(explanation: Explanation, template: str, harms: list[Harm]) -> list[str]:
    """Harms of one kind in sentences, those with the same words together."""
    sentences: list[str] = []
    known: list[str] = []
    for harm in harms:
        where = place_of(explanation.net, harm.line) if harm.line is not None else ""
        text = (
            gettext(template).rstrip(".").replace(" ({line})", " (" + where + ")" if where else "")
        )
        words = (
            text.format(
                probe=harm.probe, line=where or gettext("a rule"), rate=rate_words(harm.now)
            )
            + "."
        )
        key = text.replace(where, "") if where else text
        key = key.format(probe=harm.probe, line="", rate="")
        sentences += [] if key in known else [words]
        known.append(key)
    left = len(harms) - len(sentences[:MOST_ALIKE])
    first = [_capital(text) for text in sentences[:MOST_ALIKE]]
    if left and first:
        first[-1] = first[-1].rstrip(".") + ", " + and_more(left) + "."
    return first


# --- limits and notes ----------------------------------------------------------------------------


def _limits(parts: dict[str, list[str]], before: Explanation, after: Explanation) -> None:
    """Tell which limits end, begin, or are met where they were bypassed."""
    was, now = _lines_by_rule(before), _lines_by_rule(after)
    for rule in before.net.base["rules"]:
        name = rule["id"]
        old, new = was.get(name), now.get(name)
        if old is None and new is None:
            continue
        if old == new:
            text = gettext("{label}: as before{new}")
        elif old is None:
            text = gettext("{label}: limits only afterwards{new}")
        elif new is None:
            text = gettext("{label}: limits only before{old}")
        else:
            text = gettext("{label}: before{old}, afterwards{new}")
        text = text.format(label=rule["label"], old=old or "", new=new or "")
        parts["limits"].append(_capital(text))


def _lines_by_rule(explanation: Explanation) -> dict[str, str]:
    """The limits that packets meet, by rule, each with its places."""
    places: dict[str, str] = {}
    for limit in limits.limits(explanation):
        if not limit.past:
            where = [place_of(explanation.net, line) for line in limit.lines]
            places[limit.rule] = " (" + few_of(unique(where), MOST_LINES) + ")"
    return places


def _notes(parts: dict[str, list[str]], before: Explanation, after: Explanation) -> list[str]:
    """Tell what is warned of only before the change, and only after it; the rules of the latter."""
    base = before.net.base
    rules = before.net.rules.by_id
    was, now = matching.notes(base, before.met), matching.notes(base, after.met)
    for part, names, others, of in (("warnings", now, was, after), ("settled", was, now, before)):
        for name in names:
            if name not in others:
                lines = [place_of(of.net, line) for line in of.met[name]]
                where = " (" + few_of(unique(lines), MOST_LINES) + ")" if lines else ""
                parts[part].append(rules[name]["decides"].rstrip(".") + where + ".")
    return [name for name in now if name not in was]
