#!/usr/bin/env python3
"""Check RouterOS scripts and what pages say in RouterOS.

    .venv/bin/python scripts/routeros/rsc.py lint [--routeros VERSION]... [--hardware] FILE...

lint reads .rsc files, pages (.md) and notebooks (.ipynb), and prints FILE:LINE:COLUMN and what is
wrong, for the oldest and newest RouterOS that rsc/versions.yml promises or for those
named.  In a folder switch-only/, and with --hardware, the menus of rsc/hardware.yml
are known too.
Exit codes: 0 nothing to do; 1 something was found; 2 wrong usage, or a file that cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import PpslabError, UsageError
from ppslab.testbed.routers.routeros.rsc import lint, pages, versions

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Print what is wrong; see the top of the file for the exit codes."""
    parser = argparse.ArgumentParser(
        prog="scripts/routeros/rsc.py", description=str(__doc__).splitlines()[0]
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    check = verbs.add_parser("lint", help="say what is wrong")
    check.add_argument("--routeros", action="append", default=[], metavar="VERSION")
    check.add_argument("--hardware", action="store_true", help="the scripts are for hardware")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        return lint_files(options.files, options.routeros, hardware=options.hardware)
    except PpslabError as error:
        print(f"scripts/routeros/rsc.py: {error}", file=sys.stderr)
        return 2


def lint_files(files: list[Path], wanted: list[str], *, hardware: bool = False) -> int:
    """Print the findings of every file."""
    for version in wanted:
        versions.parse(version)
    known: dict[str, str] | None = None
    count = 0
    for file in files:
        if file.suffix == ".rsc":
            has = hardware or "switch-only" in file.parts
            text = documents.read_text(file)
            found = lint.check(str(file), text, hardware=has, wanted=wanted)
        elif file.suffix in (".md", ".ipynb"):
            known = pages.known(ROOT / "labs") if known is None else known
            found = pages.check(file, name=str(file), known=known)
        else:
            raise UsageError(f"{file}: lint reads .rsc, .md and .ipynb")
        print(*found, sep="\n", end="\n" if found else "")
        count += len(found)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
