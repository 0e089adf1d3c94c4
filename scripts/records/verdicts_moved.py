#!/usr/bin/env python3
"""Compare two lists of claims (`ppslab claims --json`) and say in Markdown which verdicts moved.

    scripts/records/verdicts_moved.py BEFORE.json AFTER.json

A verdict moved when the same claim (same lab, same id) has another verdict than before, or is no
longer judged at all.  A claim that is new is named, and moves nothing.
Exit codes: 0 nothing moved; 1 a verdict moved; 2 a file that is no list of claims.
Needs the standard library only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

NEEDED = ("id", "lab", "verdict")

Claim = dict[str, Any]
Claims = dict[tuple[str, str], Claim]


class BadFileError(Exception):
    """A file that is no list of claims."""


def main(arguments: list[str]) -> int:
    """Print the report; see the top of the file for the exit codes."""
    if len(arguments) != 2:
        print("usage: scripts/records/verdicts_moved.py BEFORE.json AFTER.json", file=sys.stderr)
        return 2
    try:
        before, after = (read(Path(each)) for each in arguments)
    except BadFileError as error:
        print(error, file=sys.stderr)
        return 2
    # The measured value moves a little with every run.
    moved = [
        key for key in before if key in after and before[key]["verdict"] != after[key]["verdict"]
    ]
    gone = [key for key in before if key not in after]
    new = [key for key in after if key not in before]
    print(report(before, after, moved, gone, new))
    return 1 if moved or gone else 0


def read(path: Path) -> Claims:
    """The claims of a file by lab and id."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadFileError(f"{path}: cannot be read: {error}") from None
    except json.JSONDecodeError as error:
        raise BadFileError(f"{path}:{error.lineno}: no JSON: {error.msg}") from None
    if not isinstance(data, list):
        raise BadFileError(f"{path}: wants a list of claims, as `ppslab claims --json` prints it")
    claims: Claims = {}
    for number, claim in enumerate(data, start=1):
        missing = [key for key in NEEDED if not isinstance(claim, dict) or key not in claim]
        if missing:
            raise BadFileError(f"{path}: claim {number} has no {', '.join(missing)}")
        key = (claim["lab"], claim["id"])
        if key in claims:
            raise BadFileError(f"{path}: claim {number}: {key[0]} has two claims called {key[1]}")
        claims[key] = claim
    return claims


def report(
    before: Claims,
    after: Claims,
    moved: list[tuple[str, str]],
    gone: list[tuple[str, str]],
    new: list[tuple[str, str]],
) -> str:
    """The comparison as Markdown."""
    lines = []
    if moved:
        lines += [
            "| claim | published | measured before | now | verdict before | now |",
            "|---|---|---|---|---|---|",
        ]
        for key in moved:
            old, now = before[key], after[key]
            cells = [
                f"{key[0]}: {now.get('statement', key[1])} (`{key[1]}`)",
                now.get("published"),
                measured(old),
                measured(now),
                old["verdict"],
                f"**{now['verdict']}**",
            ]
            lines.append("| " + " | ".join(cell(each) for each in cells) + " |")
        reasons = [f"- `{key[1]}`: {after[key]['reason']}" for key in moved if reason(after[key])]
        lines += ["", *reasons] if reasons else []
    if gone:
        lines += ["", "No longer judged:", ""]
        lines += [f"- {key[0]}: `{key[1]}`, which was {before[key]['verdict']}" for key in gone]
    if not moved and not gone:
        lines.append(f"No verdict moved ({len(before)} claims).")
    if new:
        lines += ["", "New:", ""]
        lines += [f"- {key[0]}: `{key[1]}`: {after[key]['verdict']}" for key in new]
    return "\n".join(lines).strip()


def measured(claim: Claim) -> str:
    """The measured value with its interval, as far as there is one."""
    value, interval = claim.get("measured"), claim.get("interval")
    if value is None:
        return ""
    return (
        f"{number(value)} [{', '.join(number(end) for end in interval)}]"
        if interval
        else number(value)
    )


def number(value: object) -> str:
    """Four significant digits are more than a verdict hangs on; JSON has null for no end."""
    if value is None:
        return "no end"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def reason(claim: Claim) -> str:
    """Why the verdict is what it is."""
    return str(claim.get("reason") or "")


def cell(value: object) -> str:
    """A value that cannot break the table it stands in."""
    text = "" if value is None else number(value)
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
