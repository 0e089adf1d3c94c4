"""Explain: which path the packets of an export take, and the line that decides it, in the page."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import N_, gettext
from ppslab.course.models import advance, packet_path, share
from ppslab.course.models.drawing import problem, table
from ppslab.course.models.results_table import with_pasted
from rosexplain import left_out, printed, report, sentences, summary, text, tried, typed
from rosexplain.classify import explain
from rosexplain.language import and_more
from rosexplain.parse import Export, parsed
from rosexplain.sharing import Replaced

FILE = "export.rsc"
"""The name of a text without a file's name."""
CHANGE = "change"
"""The name of the commands that are tried, before their lines' numbers."""
MOST_PROBES = 120
"""Probes of a change, which take MicroPython some 20 ms each, before it and after it."""
MOST_SHOWN = 600
"""Lines of an export that are all shown; of a longer one, those around the lines that decide."""
_KEPT: dict[tuple[str, str], Export] = {}
"""The last file that was asked about, and its commands: a switch asks of the same text again.

Whoever answers changes nothing in them.
"""


def _read(given: dict[str, Any]) -> Export:
    key = (given.get("name") or FILE, given["text"])
    if key not in _KEPT:
        _KEPT.clear()
        _KEPT[key] = parsed(key[1], key[0])
    return _KEPT[key]


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The paths of an export's packets (facts: the rule base)."""
    given = inputs["export"]
    if not given:
        return _without_export(inputs["shared"], facts)
    export = _read(given)
    if export.left or not export.commands:
        text = gettext("No RouterOS command found: use the output of /export.")
        if export.left:
            text = gettext("The export is too long, by {count} lines: leave out long lists.")
        return problem("export", text.replace("{count}", str(export.left)))
    try:
        gone = left_out.left_out(export, inputs["without"].replace(",", " ").split())
    except ValueError as error:
        return problem("without", _sentence(error))
    output = printed.read(inputs["printed"]["text"] if inputs["printed"] else "", "printed")
    replaced = change = None
    if inputs["change"].strip():
        try:
            change = typed.applied([export], inputs["change"], CHANGE)
        except ValueError as error:
            return problem("change", str(error))
    if inputs["replace"]:
        replaced = Replaced([export] + ([change] if change else []), [output])
        export, output = replaced.exports[0], replaced.outputs[0]
        change = replaced.exports[1] if change else None
        gone = replaced.lines(gone)
    commands = printed.news([export], output.commands)
    explanation = explain([export], facts["base"], gone, commands)
    explanation.seen = output.seen
    shown = report.Answer(explanation, output.unread, replaced)
    full = report.with_costs(shown.plain(step=advance), _costs_in_words(facts["costs"]))
    plain = sentences.named(full)
    short = summary.summary(plain, with_pasted(facts["published"], inputs["pasted"]))
    packets = []
    if inputs["packet"]:
        try:
            packets.append(_packet(shown, inputs["packet"]))
            packets[-1]["below"] = "packet"
        except ValueError as error:
            return problem("packet", str(error) + ".")
    if change:
        after = tried.changed(explanation, change)
        packets += _change(shown.finished(tried.compared(explanation, after, MOST_PROBES)))
    fragment = share.link(plain, short, facts["base"])
    posts = []
    if replaced:
        posts = share.posts(fragment, short, _paths(plain), facts["base"], facts["names"])
    tables = [_paths(plain), _changes(plain), _costs(plain), _why(plain), _notes(plain),
              _noticed(plain), _seen(plain), _unread(plain), _defaults(plain)]  # fmt: skip
    drawn = [row for row in plain["classes"] if row["stations"]]
    first = [row for row in drawn if row["class"] == short["class"]]
    rest = [row for row in drawn if row["class"] != short["class"]]
    figures = packet_path.path_figures([sentences.scene(plain, row) for row in first + rest])
    return {
        "verdict": [short["verdict"], gettext(share.VERDICTS[short["verdict"]])],
        "router": short["router"],
        "says": short["ahead"] + [short["answer"]],
        "quotes": short["line"],
        "because": short["why"],
        "warnings": short["warnings"] + ([short["nothing"]] if short["nothing"] else []),
        "more": _more(short),
        "to_do": _to_do(short),
        "figures": figures,
        "tables": packets,
        "folded": [
            gettext("Every kind of packet, with the sources"),
            [item for item in tables if item["rows"]],
        ],
        "warns": [gettext("This answer follows MikroTik's manual; no router has confirmed it.")],
        "listing": _listing(shown, full, gone),
        "switches": _switches(export, plain),
        "share": {"fragment": fragment, "posts": posts} if fragment else None,
        "values": {
            "answers": [[item["class"], item["answer"], item["paths"]] for item in plain["classes"]]
        },
    }


def _without_export(shared: str, facts: dict[str, Any]) -> dict[str, Any]:
    """The answer that a link's fragment is about, or what the page begins with."""
    if not shared:
        says = gettext("Drop or paste an export here, choose a file, or try one of the examples.")
        return {"says": [says], "values": {"answers": []}}
    text = N_(
        "This link names no answer: a part of it is missing, or it was made by another version of "
        "this page. Ask for a new link, or paste an export here."
    )
    return share.answer(shared, facts["base"], facts["names"]) or problem("shared", text)


BEGINS = ((N_("on the Linux stand-in {cost}"), "on the Linux stand-in "),
          (N_("on RouterOS {cost}"), "on RouterOS "))  # fmt: skip
ENDS = ((N_("{cost} times"), " times"), (N_("{cost} instructions"), " instructions"))
"""The words of a cost (show.explained), whose number stays."""


def _costs_in_words(costs: dict[str, Any]) -> dict[str, Any]:
    """The costs of the records, their words in the language of the page."""
    known = {}
    for name in costs:
        cost: str = costs[name]["cost"]
        for template, words in ENDS:
            number, matched, after = cost.partition(words)
            if matched and not after:
                cost = gettext(template).format(cost=number)
        for template, words in BEGINS:
            before, matched, amount = cost.partition(words)
            if matched and not before:
                cost = gettext(template).format(cost=amount)
        known[name] = {"cost": cost, "of": costs[name]["of"]}
    return known


def _more(short: dict[str, Any]) -> list[str]:
    """Return the device's speed, the other slow classes, and an export's gaps."""
    says = [short[name] for name in ("leave", "speed", "others", "tunnels", "air")]
    asks = gettext("Not known: {about}. Ask the router: {command}")
    says += [asks.format(about=ask["about"], command=ask["command"]) for ask in short["asks"]]
    if short["noticed"]:
        says.append(gettext(text.NOTICED) + " " + " ".join(short["noticed"]))
    says += [short["closing"], gettext(text.NOT_SHOWN)]
    return [sentence for sentence in says if sentence]


def _to_do(short: dict[str, Any]) -> dict[str, Any]:
    """Return the commands to type, those that undo them, and a word on safe mode."""
    things = []
    for thing in short["to_do"]:
        undo = "; ".join(thing["undo"])
        words = [[gettext("You lose"), thing["loses"]], [gettext("To undo"), undo]]
        things.append({"gain": thing["gain"], "commands": thing["commands"],
                       "words": [pair for pair in words if pair[1]]})  # fmt: skip
    safe = gettext("{safe_mode}. Source: {typing}.")
    safe = safe.format(safe_mode=gettext(text.SAFE_MODE), typing=short["typing"])
    return {"safe": safe, "things": things}


def _sentence(error: ValueError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."


def _switches(export: Export, plain: dict[str, Any]) -> dict[str, Any]:
    """The lines that can be taken as gone, their input, and the sentences about them."""
    lines: list[int] = []
    for command in export.commands:
        if not lines or lines[-1] != command.number:
            lines.append(command.number)
    return {"input": "without", "lines": lines, "says": sentences.without(plain)}


def _lines(item: dict[str, Any]) -> str:
    numbers = [str(line["line"]) for line in item["lines"]]
    more = [and_more(item["more"])] if item.get("more") else []
    return ", ".join(numbers + more)


def _asks(item: dict[str, Any]) -> str:
    text = gettext("; ask: {item}").format(item=", ".join(sentences.asks(item)))
    return text if item["asks"] else ""


def _paths(plain: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for item in plain["classes"]:
        first = item["reasons"][0] if item["reasons"] else None
        path = sentences.paths_in_words(item["paths"], item["answer"])
        rows.append([item["title"], path + _asks(item), _lines(first) if first else ""])
    header = [gettext("packets"), gettext("path"), gettext("line")]
    return table(gettext("Which path"), header, rows)


def _why(plain: dict[str, Any]) -> dict[str, Any]:
    """Each reason once, with the packets that it applies to."""
    rows: list[list[str]] = []
    for item in plain["classes"]:
        for reason in item["reasons"]:
            text = sentences.because(reason) + " [" + reason["cited"] + "]"
            row = [_lines(reason), text]
            same = [other for other in rows if other[:2] == row]
            if same:
                same[0][2] += "; " + item["title"]
            else:
                rows.append(row + [item["title"]])
    return table(gettext("Why"), [gettext("line"), gettext("RouterOS"), gettext("packets")], rows)


def _costs(plain: dict[str, Any]) -> dict[str, Any]:
    """Return our records' costs of these paths and reasons, each with its condition."""
    rows: list[list[str]] = []
    for item in plain["classes"]:
        for path, cost in zip(item["paths"], item["costs"], strict=True):
            if cost:
                row = [sentences.path_of(path), cost["cost"], cost["of"]]
                rows += [row] if row not in rows else []
    for item in plain["classes"]:
        for reason in item["reasons"]:
            if reason["cost"]:
                text = gettext("{cost} as much as without it").format(cost=reason["cost"]["cost"])
                what = reason["label"] or sentences.because(reason)
                row = [what, text, reason["cost"]["of"]]
                rows += [row] if row not in rows else []
    header = [gettext("what"), gettext("cost"), gettext("record")]
    return table(gettext("Cost per packet, from our records"), header, rows)


def _changes(plain: dict[str, Any]) -> dict[str, Any]:
    rows: list[list[str]] = []
    known: list[list[str]] = []
    for item in plain["classes"]:
        for change in item["changes"]:
            if not change["commands"] or change["commands"] in known:
                continue
            known.append(change["commands"])
            then = item["title"] + ": " + sentences.promised(change)
            rows.append(["; ".join(change["commands"]), then, change["loses"]])
    for item in plain["notes"]:
        if item["commands"] and item["commands"] not in known:
            known.append(item["commands"])
            rows.append(["; ".join(item["commands"]), item["gains"], item["loses"]])
    header = [gettext("commands"), gettext("what you get"), gettext("what you lose")]
    changes = table(gettext("What would change it"), header, rows)
    changes["copies"] = True
    return changes


def _notes(plain: dict[str, Any]) -> dict[str, Any]:
    rows = [
        [_lines(item), item["says"] + _asks(item), "; ".join(item["facts"])]
        for item in plain["notes"]
    ]
    for item in plain["offload"]:
        text = item["seen"] + ": " + item["says"] if item["seen"] else item["says"]
        rows.append([_lines(item), gettext("Switch chip: {text}").format(text=text), item["cited"]])
    header = [gettext("line"), gettext("RouterOS"), gettext("source")]
    return table(gettext("Worth knowing"), header, rows)


def _noticed(plain: dict[str, Any]) -> dict[str, Any]:
    """All that was noticed, of which the short answer has a few."""
    rows = [[_lines(item), item["says"] + _asks(item), "; ".join(item["facts"])]
            for item in plain["noticed"]]  # fmt: skip
    header = [gettext("line"), gettext("RouterOS"), gettext("source")]
    return table(gettext(text.NOTICED).rstrip(": "), header, rows)


def _packet(shown: report.Answer, text: str) -> dict[str, Any]:
    trace = shown.traced(text)
    for step in trace["steps"]:
        step["line"]["file"] = ""  # there is one export alone
    rows = sentences.packet_rows(trace)
    for line in sentences.packet_end(trace):
        rows.append(["", "", "", line, ""])
    return table(gettext("The packet"), [gettext(word) for word in sentences.PACKET], rows)


def _change(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a change makes of the router, under its box, and folded what stays the same."""
    same = [[part["title"], text] for part in plain["parts"] if part["part"] == tried.SAME
            for text in part["says"]]  # fmt: skip
    rows = [[part["title"], text] for part in plain["parts"] if part["part"] != tried.SAME
            for text in part["says"]]  # fmt: skip
    if plain["left"]:
        text = gettext("{probes} asked; ppslab explain --try asks {left} more on your machine")
        text = text.format(probes=str(plain["probes"]), left=str(plain["left"]))
        rows.append([gettext("Probes"), text])
    if not rows:
        rows, same = same, []
    header = [gettext("the change"), gettext("before -> after")]
    tables = [table(plain["says"], header, rows)]
    if same:
        tables.append(table(same[0][0], header, same))
        tables[1]["folds"] = True
    for shown in tables:
        shown["below"] = CHANGE
    return tables


def _seen(plain: dict[str, Any]) -> dict[str, Any]:
    rows = [[item["what"], item["value"]] for item in plain["evidence"]]
    return table(gettext("What the router printed"), [gettext("what"), gettext("value")], rows)


def _unread(plain: dict[str, Any]) -> dict[str, Any]:
    rows = [[sentences.place(item), item["begins"], item["why"]] for item in plain["unread"]]
    header = [gettext("line"), gettext("begins with"), gettext("why")]
    return table(gettext("Lines that were not read"), header, rows[:100])


def _defaults(plain: dict[str, Any]) -> dict[str, Any]:
    rows = [
        [item["menu"] + " " + item["property"], item["value"], item["source"]]
        for item in plain["defaults"]
    ]
    header = [gettext("what"), gettext("value"), gettext("source")]
    return table(gettext("Not in the export, so the default is assumed"), header, rows)


def _listing(
    shown: report.Answer, plain: dict[str, Any], gone: list[tuple[str, int]]
) -> list[list[Any]]:
    """The lines as they may be shown: number, text, and `decides`, `gone` or nothing.

    For lines that are left out there is no number, and the text says how many they are.
    """
    deciding = sentences.deciding(plain)
    marked = deciding + gone
    rows: list[list[Any]] = []
    for file, number, line in shown.listing(MOST_SHOWN, marked):
        decides = "decides" if (file, number) in deciding else ""
        rows.append([number or "", line, "gone" if (file, number) in gone else decides])
    return rows
