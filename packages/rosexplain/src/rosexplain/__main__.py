"""The command `rosexplain EXPORT.rsc`: the path of its packets, and the line that decides it."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosexplain import Export, printed, read_export, report, text, tried
from rosexplain.base import LONG, base, text_of, uncollected
from rosexplain.parse import MOST_LINES
from rosexplain.remedy import left_out
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
    parser.add_argument("--without", default=[], nargs="+", metavar="LINE",
                        help="ignore these lines of the first export")  # fmt: skip
    parser.add_argument("--hide-addresses", action="store_true", help="mask public addresses")
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
            compares = options.change or (len(options.exports) > 1 and not options.parts)
            plain = _compared(options) if compares else _plain(options)
            if options.svg:
                _draw(plain, options.svg)
    except WrongError as error:
        for line in str(error).split("\n"):
            print(f"rosexplain: {line}", file=sys.stderr)
        return 2
    try:
        _show(plain, options)
        sys.stdout.flush()  # here, where its failure can be caught
    except BrokenPipeError:
        # Who read it has read enough, as `head` has; Python would write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if (plain["worse"] if "worse" in plain else asks_for_change(plain)) else 0


def _show(plain: dict[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(plain, indent=1, ensure_ascii=False))
    else:
        width = shutil.get_terminal_size((text.WIDTH, 24)).columns
        rows = (
            text.tried(plain, width)
            if "worse" in plain
            else text.answered(plain, plain["summary"], width, options.whole)
        )
        print("\n".join(rows))


def _draw(plain: dict[str, Any], path: Path) -> None:
    """Write the drawing beside its place first, so that a failure leaves what was there."""
    svg = report.picture(report.named(plain), plain["summary"]["class"])
    if not svg:
        raise WrongError(f"--svg {path}: {report.NO_PICTURE}")
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


def _compared(options: argparse.Namespace) -> dict[str, Any]:
    """What a change makes of a router, by `tried.comparison`."""
    if options.packet or options.svg:
        raise WrongError("a comparison takes no --packet and no --svg")
    exports = [_export(path) for path in options.exports]
    evidence = [printed.read(_read(path), str(path)) for path in options.prints]
    try:
        gone = left_out(exports[0], options.without)
        share, hide = options.share, options.hide_addresses
        return tried.comparison(
            exports,
            options.change,
            lambda path: _read(Path(path)),
            base(),
            gone,
            evidence,
            share,
            hide,
        )
    except ValueError as error:
        raise WrongError(str(error)) from None


def _plain(options: argparse.Namespace) -> dict[str, Any]:
    exports = [_export(path) for path in options.exports]
    count = sum(len(export.commands) for export in exports)
    if count > LONG:
        print(f"rosexplain: a long export, {count} commands: please wait", file=sys.stderr)
    evidence = [printed.read(_read(path), str(path)) for path in options.prints]
    try:
        gone = left_out(exports[0], options.without)
        answer = report.answered(
            exports, evidence, gone, base(), options.share, options.hide_addresses
        )
        plain = report.with_costs(answer.plain(), {})
        if options.packet:
            plain["packet"] = answer.traced(options.packet)
        plain["summary"] = summary(report.named(plain))
    except ValueError as error:
        raise WrongError(str(error)) from None
    return plain


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
