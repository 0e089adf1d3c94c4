"""The rows of a menu against a check: which it means, and whether they are as it wants them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

SHOWN = 6
DULL = (".id", "dynamic", "disabled", "invalid", "bytes", "packets", "log", "log-prefix")
"""Properties that every row has, which say nothing of it."""
PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789-|"
"""Letters of words of which one must match."""


def look(
    check: Mapping[str, Any], rows: Sequence[Mapping[str, str]]
) -> tuple[bool, list[Mapping[str, str]]]:
    """Return whether the rows that a check means are as it wants them, and these rows."""
    where, or_where = check.get("where") or {}, check.get("or_where")
    mine = [
        number
        for number, row in enumerate(rows)
        if fits(where, row) or (or_where and fits(or_where, row))
    ]
    count, before = check.get("rows"), check.get("before")
    good = bool(mine) if count is None else len(mine) == count
    good = good and all(fits(check.get("expect") or {}, rows[number]) for number in mine)
    if before is not None:
        places = [number for number, row in enumerate(rows) if fits(before, row)]
        good = good and bool(mine) and (not places or mine[0] < places[0])
    return good, [rows[number] for number in mine]


def fits(wanted: Mapping[str, str], row: Mapping[str, str]) -> bool:
    """Return True if a row has all expected values.

    A value as RouterOS means it, `~regex`, `!value`, or bounds of an amount: `<=49M`, and
    `>=40M <=49M`.  Of two ways, as of `max-limit=10M/50M`, a bound holds for each, and
    `<=10M/<=50M` for its own.
    """
    return all(_fits(wanted[name], row.get(name)) for name in wanted)


def _fits(wanted: str, value: str | None) -> bool:
    if wanted[:1] == "!":
        return not _fits(wanted[1:], value)
    if wanted[:1] == "~":
        return value is not None and _matches(wanted[1:], value)
    if wanted[:2] in BOUNDS:
        return value is not None and within(wanted, value)
    return _alike(wanted, value)


def _matches(expression: str, text: str) -> bool:
    words = expression[2:-2]
    if expression == "^(" + words + ")$" and all(letter in PLAIN for letter in words):
        return text in words.split("|")  # MicroPython's expressions are short
    return re.search(expression, text) is not None


def in_short(row: Mapping[str, str], keys: Sequence[str] = ()) -> str:
    """A row in short: the properties that are asked about, or all but what every row has."""
    named: list[str] = []
    for key in keys or [key for key in row if key not in DULL]:
        if key not in named:
            named.append(key)
    return " ".join([f"{key}={row[key]}" for key in named[:8] if key in row]) or "(none)"


# --- values as they are typed --------------------------------------------------------------------

TIMES = {"k": 3, "M": 6, "G": 9}
"""Number of zeros that a letter behind a number stands for."""
BOUNDS = ("<=", ">=")
DIGITS = "0123456789"


def prefixed_number(text: str) -> int | None:
    """47500k, 47.5M, 47500kbps and 47500000 as the same whole number; None where it is none."""
    number = text[:-3] if text[-3:] == "bps" else text
    zeros = TIMES.get(number[-1:], 0)
    number = number[:-1] if zeros else number
    whole, point, part = number.partition(".")
    if not whole or (whole + part).strip(DIGITS) or bool(point) != bool(part) or len(part) > zeros:
        return None
    return int(whole + part + "0" * (zeros - len(part)))


def within(bounds: str, value: str) -> bool:
    """True if an amount, or each of two ways' (`10M/50M`), keeps its bounds.

    ValueError: a bound is no amount.
    """
    ways, each = value.split("/"), bounds.split("/")
    if len(each) == 1:
        each = each * len(ways)
    return len(each) == len(ways) and all(_keeps(each[at], ways[at]) for at in range(len(ways)))


def _keeps(bounds: str, way: str) -> bool:
    much = prefixed_number(way)
    good = True
    for bound in bounds.split():
        limit = prefixed_number(bound[2:])
        if limit is None or bound[:2] not in BOUNDS:
            raise ValueError("no bound of an amount: " + bound)
        good = good and much is not None and (much >= limit if bound[0] == ">" else much <= limit)
    return good


def _alike(wanted: str, value: str | None) -> bool:
    """Return True for what RouterOS takes as the same: yes is true, 10M is 10M/10M, /32 a host."""
    if value is None or value == "":
        return wanted in ("", "no", "false", "0")
    return _plain(wanted) == _plain(value)


def _plain(value: str) -> str:
    parts = [_one(part) for part in value.split(",")]
    return ",".join(sorted(parts))


def _one(value: str) -> str:
    if value in ("true", "false"):
        return "yes" if value == "true" else "no"
    for host in ("/32", "/128"):
        if value.endswith(host):
            return value[: -len(host)]
    ways = [_rate(way) for way in value.split("/")]
    if len(ways) == 2 and ways[0] == ways[1]:
        return ways[0]
    return "/".join(ways)


def _rate(value: str) -> str:
    much = prefixed_number(value)
    return value if much is None else str(much)
