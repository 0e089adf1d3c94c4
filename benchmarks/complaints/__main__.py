"""Ask the tools what real complaints and exports ask, and count the answers that are right.

    python -m benchmarks.complaints [--list seen] [--check [FILE...]] [--weigh]
    python -m benchmarks.complaints --answers FILE FOLDER
    python -m benchmarks.complaints --changed [REVISION] | --keep

Exit codes: 0 counted or well formed, 2 a sheet is not well formed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path
from statistics import median

from benchmarks.complaints.answers import KEPT, changes, keep
from benchmarks.complaints.scoring import NOTHING, ROOT, Outcome, Score, scored
from benchmarks.complaints.sheets import HERE, KINDS, PARTS, SEEN, Sheet, SheetError, read
from benchmarks.complaints.weighing import signs, written
from ppslab.course.learning.slow import SIGNS
from rosexplain.__main__ import main as rosexplain

COLUMNS = ("solved", "part", "missed", "wrong")


def main() -> int:
    """Score both parts, list one, or check files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.complaints")
    parser.add_argument("--list", choices=PARTS, help="each sheet of this part, with reasons")
    parser.add_argument("--check", nargs="*", type=Path, metavar="FILE", help="well formed?")
    parser.add_argument("--weigh", action="store_true", help=f"write {SIGNS} of what was seen")
    parser.add_argument("--answers", nargs=2, type=Path, metavar=("FILE", "FOLDER"),
                        help="each export and its answer, for an expert")  # fmt: skip
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="REVISION",
                        help="a diff of the seen exports' answers, then and now")  # fmt: skip
    parser.add_argument("--keep", action="store_true", help=f"write {KEPT.name} anew")
    options = parser.parse_args()
    try:
        _answered(options)
    except SheetError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _answered(options: argparse.Namespace) -> None:
    if options.changed:
        for line in changes(options.changed):
            print(line)
    elif options.keep:
        keep()
    elif options.check is not None:
        files = options.check or [file for part in PARTS for file in _files(part)]
        print(f"{len([sheet for file in files for sheet in read(file)])} sheets are well formed")
    elif options.answers is not None:
        _answers(*options.answers)
    elif options.weigh:
        table = signs(sheet for sheet in seen() if sheet.kind != "export")
        (ROOT / SIGNS).write_text(written(table), encoding="utf-8")
    else:
        for part in [options.list] if options.list else PARTS:
            _score(part, [sheet for file in _files(part) for sheet in read(file)],
                   listed=bool(options.list))  # fmt: skip


def seen() -> list[Sheet]:
    """The sheets that may be looked at."""
    return [sheet for file in _files(SEEN) for sheet in read(file)]


def _answers(sheets: Path, folder: Path) -> None:
    """Write ID.rsc and ID.answer.txt, as the terminal prints it, of each export of a file."""
    folder.mkdir(parents=True, exist_ok=True)
    for sheet in read(sheets):
        if sheet.export:
            export = folder / f"{sheet.id}.rsc"
            export.write_text(sheet.export, encoding="utf-8")
            answer = folder / f"{sheet.id}.answer.txt"
            with answer.open("w", encoding="utf-8") as file, redirect_stdout(file):
                rosexplain([str(export)])


def _files(part: str) -> list[Path]:
    return sorted((HERE / part).glob("*.yml"))


def _score(part: str, sheets: list[Sheet], *, listed: bool) -> None:
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    walks: list[Outcome] = []
    for sheet in sheets:
        score, outcomes = scored(sheet)
        counts[sheet.kind][score.word] += 1
        walks += [outcome for outcome in outcomes if outcome.questions]
        if listed:
            tools = "; ".join(f"{one.tool} {one.score.word} {one.why}".strip() for one in outcomes)
            print(f"{score.word:7} {sheet.kind:9} {sheet.id}: {tools or 'no tool was asked'}")
    print(f"{part}: {len(sheets)} sheets")
    print(f"{'':10}" + "".join(f"{name:>8}" for name in ("sheets", *COLUMNS)))
    complaints: Counter[str] = Counter()
    for kind in KINDS:
        if counts[kind]:
            _row(kind, counts[kind])
        if kind != "export":
            complaints += counts[kind]
    _row("complaints", complaints)
    ended = [one.questions for one in walks if one.score is Score.SOLVED]
    lost = sum(f"ends at {NOTHING}" in one.why for one in walks)
    if walks:
        many = f"{median(ended):g}" if ended else "-"
        among = sum(one.shown for one in walks)
        print(f"dialogue: {among} of {len(walks)} show a right cause as the likeliest or beside it")
        print(f"dialogue: {many} questions in the median to a cause that is right")
        print(f"dialogue: {lost} of {len(walks)} end with nothing left")


def _row(name: str, count: Counter[str]) -> None:
    total = sum(count.values())
    print(f"{name:10}{total:8}" + "".join(f"{count[column]:8}" for column in COLUMNS)
          + (f"   {count['solved'] / total:4.0%} solved" if total else ""))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
