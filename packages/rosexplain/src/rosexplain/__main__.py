"""The command `rosexplain EXPORT.rsc`: the path of its packets, and the line that decides it."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rosexplain import Export, printed, read_export, report, sentences, text, tried
from rosexplain.base import LONG, base, text_of, uncollected
from rosexplain.left_out import lines_of, numbered
from rosexplain.parse import MOST_LINES
from rosexplain.printed import Printed
from rosexplain.summary import asks_for_change, summary

LONGEST = 16 * 2**20
"""Bytes of a file; no export is larger."""


class WrongError(Exception):
    """A file or an option that is wrong."""


def main(argv: Sequence[str] | None = None) -> int:
    """Answer; 0: nothing to do, 1: something to do, 2: a file or an option is wrong.

    130: stopped by Ctrl-C.
    """
    try:
        return _answered(argv)
    except KeyboardInterrupt:
        print("rosexplain: stopped", file=sys.stderr)
        return 130


def _answered(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="rosexplain",
        description="Show which path each kind of packet takes through a MikroTik router, and "
        "which line of its /export decides.  Two exports are compared: the router before a change "
        "and after it.  Nothing is sent anywhere; secrets are masked first.",
        epilog="Exit code: 0 if there is nothing to do, 1 if there is, 2 if a file or an option is "
        "wrong.  Of a change: 1 if something gets slower or is lost, else 0.",
    )
    parser.set_defaults(name=parser.prog)
    parser.add_argument("exports", metavar="EXPORT", nargs="+", type=Path)
    parser.add_argument("--try", dest="change", default="", metavar="COMMANDS",
                        help="what RouterOS commands would change, one a line or behind a "
                        "semicolon; @FILE reads them from a file")  # fmt: skip
    parser.add_argument("--parts", action="store_true",
                        help="several exports are parts of one router's")  # fmt: skip
    parser.add_argument("--packet", default="", metavar="PACKET", help="one packet, rule by rule: "
                        '"in=ether2 dst=1.1.1.1:443/tcp established"')  # fmt: skip
    parser.add_argument("--print", dest="prints", action="append", default=[], type=Path,
                        metavar="FILE", help="output of the running router")  # fmt: skip
    parser.add_argument("--without", default=[], nargs="+", action="extend", metavar="LINE",
                        help="ignore these lines: 12, or FILE:12")  # fmt: skip
    parser.add_argument("--share", action="store_true", help="replace names, public addresses and "
                        "hardware addresses, to show the answer to others")  # fmt: skip
    parser.add_argument("--all", action="store_true", dest="whole",
                        help="print every class of packets, with the sources")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--svg", type=Path, metavar="FILE",
                        help="draw the path of the most important packets")  # fmt: skip
    options = parser.parse_args(argv)
    try:
        with uncollected():
            plain = answered(options)
    except WrongError as error:
        for line in str(error).split("\n"):
            print(f"rosexplain: {line}", file=sys.stderr)
        return 2
    try:
        print("\n".join(shown(plain, options)))
        sys.stdout.flush()  # here, where its failure can be caught
    except BrokenPipeError:
        # Who read it has read enough, as `head` has; Python would write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return exit_code(plain)


def answered(
    options: argparse.Namespace,
    costs: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    published: dict[str, list[dict[str, Any]]] | None = None,
) -> dict[str, Any]:
    """The answer as data; WrongError.

    `options`: of the parser above.  `costs` puts what records say into the data, and `published`
    has rates by product code, as `summary` takes them: this package has neither.
    """
    exports = [_export(path) for path in options.exports]
    count = sum(len(export.commands) for export in exports)
    if count > LONG:
        print(f"{options.name}: a long export, {count} commands: please wait", file=sys.stderr)
    evidence = [_printed(path) for path in options.prints]
    compares = bool(options.change) or (len(exports) > 1 and not options.parts)
    if compares and (options.packet or options.svg):
        raise WrongError("a comparison takes no --packet and no --svg")
    gone = _gone(options.without, exports)
    try:
        share = options.share
        if compares:
            change, read = options.change, lambda path: _read(Path(path))
            return tried.comparison(exports, change, read, base(), gone, evidence, share)
        answer = report.answered(exports, evidence, gone, base(), share)
        plain = answer.plain()
        plain = costs(plain) if costs else report.with_costs(plain, {})
        if options.packet:
            plain["packet"] = answer.traced(options.packet)
        plain["summary"] = summary(sentences.named(plain), published)
    except ValueError as error:
        raise WrongError(str(error)) from None
    if options.svg:
        _draw(plain, options.svg)
    return plain


def exit_code(plain: dict[str, Any]) -> int:
    """1: there is something to do, or a change makes something worse; 0: neither."""
    return 1 if (plain["worse"] if "worse" in plain else asks_for_change(plain)) else 0


def shown(plain: dict[str, Any], options: argparse.Namespace) -> list[str]:
    """The rows of an answer, as text as wide as the window or as JSON."""
    if options.json:
        return [json.dumps(plain, indent=1, ensure_ascii=False)]
    width = shutil.get_terminal_size((text.WIDTH, 24)).columns
    if "worse" in plain:
        return text.tried(plain, width)
    return text.answered(plain, plain["summary"], width, options.whole)


def _draw(plain: dict[str, Any], path: Path) -> None:
    """Write the drawing beside its place first, so that a failure leaves what was there."""
    svg = sentences.picture(sentences.named(plain), plain["summary"]["class"])
    if not svg:
        raise WrongError(f"--svg {path}: {sentences.NO_PICTURE}")
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise WrongError(f"{path}: a folder or a device: name a file")
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        file = aside.open("x", encoding="utf-8")  # a file that is there already is another's
    except OSError as error:
        raise WrongError(f"{path}: {error.strerror} ({aside.name})") from None
    try:
        with file:
            file.write(svg + "\n")
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise WrongError(f"{path}: {error.strerror}") from None


def _gone(words: list[str], exports: list[Export]) -> list[tuple[str, int]]:
    """The commands to leave out, by file and first line; WrongError where there is none."""
    gone: list[tuple[str, int]] = []
    for word in words:
        file, _, number = word.rpartition(":")
        asked = [export for export in exports if file in ("", export.file)]
        names = " or ".join(export.file for export in asked or exports)
        if not asked:
            raise WrongError(f"--without {word}: {file} is no export here; there is {names}")
        try:
            line = numbered(number)
        except ValueError as error:
            raise WrongError(f"--without {word}: {error}") from None
        places = [place for export in asked for place in lines_of(export, line)]
        if not places:
            why = f"line {line} of {names} configures nothing: give an add or a set"
            raise WrongError(f"--without {word}: {why}")
        gone += [place for place in places if place not in gone]
    return gone


def _printed(path: Path) -> Printed:
    """A router's output; WrongError where nothing of it can be read."""
    output = printed.read(_read(path), str(path))
    if output.commands or output.seen:
        return output
    why = f"{path}: it is empty"
    for line in output.unread[:1]:
        why = f"{line.file}:{line.number}: {line.begins + ': ' if line.begins else ''}{line.why}"
    raise WrongError(f"{why}; --print reads {sentences.READ_BACK}")


def _export(path: Path) -> Export:
    export = read_export(_read(path), str(path))
    if export.left:
        raise WrongError(
            f"{path}: only {MOST_LINES:,} lines are read, and it has {export.left:,} more: leave "
            "out long lists, such as /ip firewall address-list"
        )
    if not export.commands:
        raise WrongError(f"{path}: no RouterOS command found: use the output of /export")
    return export


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise WrongError(f"{path}: larger than 16 MB, so not an export")
        return text_of(data)
    except OSError as error:
        raise WrongError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WrongError(f"{path}: not text: use the output of /export, not a backup") from None


if __name__ == "__main__":
    sys.exit(main())
