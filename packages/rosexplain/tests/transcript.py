"""Cases in files: exports, what their router printed or is asked, and the answer behind `>>>`.

`python tests/transcript.py` writes every answer anew; read what changes before you commit it.

    === NAME          a case; `=== NAME < BASE`: its export begins with that of BASE;
                      where that is a file of examples/ or exports/, with it
    +++ BASE          an export that several cases begin with
    --- export        another export of the same router
    --- printed       what the router printed
    --- without 3 4   lines of the first export that are taken as gone
    --- remedies      the answer names the commands that would change it
    --- packet ...    one packet, step by step
    --- short         the short answer as a terminal shows it, and nothing else
    >>>               the answer; classes that are answered alike stand on one line
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosexplain import explain, left_out, parse, printed, report, sentences, text
from rosexplain.classify import trace_packet
from rosexplain.packet import parsed
from rosexplain.summary import summary

CASES = Path(__file__).with_name("cases")
EXAMPLES = CASES.parents[1] / "examples"
EXPORTS = CASES.with_name("exports")


class Case:
    """A case of a file; `lines`: the answer that is written there."""

    def __init__(self, name: str, base: str, text: str) -> None:
        self.name = name
        self.base = base
        self.own = [text]
        self.printed: str | None = None
        self.without: list[str] = []
        self.remedies = False
        self.short = False
        self.packets: list[str] = []
        self.lines: list[str] = []

    @property
    def exports(self) -> list[str]:
        """The texts of its exports."""
        return [self.base + self.own[0], *self.own[1:]]

    def answer(self) -> Iterator[str]:
        """The answer, a line for each class, note, limit and packet."""
        texts = enumerate(self.exports, start=1)
        exports = [parse.parsed(text, f"{number}.rsc") for number, text in texts]
        output = printed.read(self.printed or "", "printed")
        gone = left_out.left_out(exports[0], self.without)
        evidence = printed.news(exports, output.commands)
        explained = explain(exports, without=gone, evidence=evidence)
        explained.seen = output.seen
        for asked in self.packets:
            yield from _packet(explained, asked)
        if self.packets and not self.printed:
            return
        answer = report.Answer(explained, unread=output.unread)
        plain = answer.plain(remedies=self.remedies or self.short)
        short = summary(sentences.named(plain))
        if self.short:
            yield from text.short(short)
            return
        yield f"short {short['answer']}"
        yield from _classes(plain["classes"])
        for note in plain["notes"]:
            yield f"note {note['rule']}{_at(note)}"
            yield from (f"  type {command}" for command in note["commands"])
        for limit in plain["offload"]:
            yield f"chip {limit['rule']}{_at(limit)} {limit['seen']}".rstrip()
        for line in plain["changed"]:
            yield f"changed {line['title']}: {line['before']} -> {line['after']}"
        for line in plain["evidence"]:
            yield f"printed {line['line']} {line['what']}: {line['value']} ({line['speaks']})"
        for line in plain["contradicted"]:
            yield f"contradicted {line['what']}: {'; '.join(line['classes'])}"
        for line in plain["unread"]:
            yield f"unread {line['file']}:{line['line']} {line['begins']}: {line['why']}"


def _classes(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The classes; those with the same answer behind each other are one, with `|` between them."""
    titles: list[str] = []
    before: list[str] = []
    for row in rows:
        if [reason["fact"] for reason in row["reasons"]] == ["fast-path-local"]:
            continue  # to the router itself: the same in every case
        lines = [f"{row['answer']} {'/'.join(row['paths'])}"]
        lines.append("  " + "; ".join(_reason(reason) for reason in row["reasons"]))
        lines += ["  ask " + "; ".join(row["asks"])] if row["asks"] else []
        lines += _changes(row["changes"])
        if titles and lines != before:
            yield f"{' | '.join(titles)}: {before[0]}"
            yield from before[1:]
            titles = []
        titles.append(row["title"])
        before = lines
    if titles:
        yield f"{' | '.join(titles)}: {before[0]}"
        yield from before[1:]


def _at(row: dict[str, Any]) -> str:
    places = [f"{line['file']}:{line['line']}".removeprefix("1.rsc:") for line in row["lines"]]
    more = f"+{row['more']}" if row.get("more") else ""
    return (" @" + ",".join(places) + more) if places else ""


def _reason(reason: dict[str, Any]) -> str:
    rule = f" by {reason['rule']}" if reason["rule"] else ""
    return f"{reason['fact']}{rule}{_at(reason)} {reason['why']}".rstrip()


def _changes(changes: list[dict[str, Any]]) -> Iterator[str]:
    for change in changes:
        then = sentences.promised(change)
        yield f"  change for {change['rule']}: {then}; loses {change['loses']}"
        yield from (f"    type {command}" for command in change["commands"])


def _packet(explained: Any, text: str) -> Iterator[str]:
    try:
        trace = trace_packet(explained, parsed(text))
    except ValueError as error:
        yield f"{text}: wrong: {error}"
        return
    ways = f"{'/'.join(trace['path'])}, {trace['chain']} {trace['in']} -> {trace['out']}"
    yield f"{text}: {ways}, chip {trace['chip']}, FastTrack {trace['fasttrack']}"
    for step in trace["steps"]:
        sure = "" if step["sure"] else " perhaps here"
        place = step["command"].place.removeprefix("1.rsc:")
        why = " " + ", ".join(step["why"]) if step["why"] else ""
        words = f"{step['table']} {step['chain']}: {step['verdict']} {step['action']}"
        yield f"  {place} {words}{sure}{why}"
    yield from (f"  {line}" for line in trace["says"] + trace["because"])
    for other in trace["others"]:
        yield f"  or {other['chain']}, if {other['if']}: {other['ended']}"
    yield f"  ends {trace['end']}: {trace['ended']}"


def read(path: Path) -> Iterator[Case | tuple[str, str]]:
    """Yield a file's cases, and its bases as name and text."""
    bases: dict[str, str] = {}
    for block in ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")[0].split("\n+++ ")[1:]:
        name, _, text = block.partition("\n")
        bases[name] = text + "\n"
        yield name, bases[name]
    for block in ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")[1:]:
        head, _, body = block.partition("\n")
        name, _, base = head.partition(" < ")
        asked, _, lines = ("\n" + body).partition("\n>>>\n")
        first, *parts = asked.split("\n--- ")
        if base and base not in bases:
            folder = EXAMPLES if (EXAMPLES / base).exists() else EXPORTS
            bases[base] = (folder / base).read_text(encoding="utf-8")
        case = Case(name, bases[base] if base else "", first[1:] + "\n" if first else "")
        case.lines = lines.rstrip("\n").split("\n")
        for part in parts:
            word, _, text = part.partition("\n")
            option, _, value = word.partition(" ")
            if option == "export":
                case.own.append(text + "\n")
            elif option == "printed":
                case.printed = text + "\n"
            elif option == "without":
                case.without = value.split()
            elif option == "remedies":
                case.remedies = True
            elif option == "short":
                case.short = True
            else:
                case.packets.append(value)
        yield case


def renew(path: Path) -> None:
    """Write the answers of a file's cases anew."""
    parts = ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")
    cases = [case for case in read(path) if isinstance(case, Case)]
    blocks = [parts[0]]
    for part, case in zip(parts[1:], cases, strict=True):
        blocks.append(part.partition("\n>>>\n")[0] + "\n>>>\n" + "\n".join(case.answer()) + "\n")
    path.write_text("\n=== ".join(blocks).removeprefix("\n"), encoding="utf-8")


if __name__ == "__main__":
    for file in [Path(name) for name in sys.argv[1:]] or sorted(CASES.glob("*.txt")):
        renew(file)
