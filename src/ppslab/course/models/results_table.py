"""Test results of MikroTik's that a reader pasted: read, checked, and ready for every page.

The page keeps an answer's `kept` in the reader's browser; the figure of the front page draws its
`table`, and `explain` reads its `published`.
"""

from __future__ import annotations

from typing import Any

from ppslab.core.text.grouping import grouped
from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import fixed, number, problem, table
from ppslab.model.results_table import Row, TableError, pasted

SETTINGS = (
    ("fast-path", "Routing", "none (fast path)"),
    ("rules", "Routing", "25 ip filter rules"),
    ("queues", "Routing", "25 simple queues"),
    ("ipsec", "Single tunnel", "AES-128-CBC + SHA1"),
)
"""What the front page's figure shows: its key, and the mode and configuration of MikroTik's row."""


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The rows of `text`, copied on `day`; `facts["codes"]` is the name of each product code.

    `code` is the device that the reader chose; where it is empty, the table has to name one.
    """
    try:
        rows = pasted(inputs["text"])
    except TableError as error:
        place = gettext("Line {line}: ").format(line=error.line) if error.line else ""
        return problem("text", place + error.message)
    known, printed = facts["codes"], rows[0].code
    code: str = inputs["code"] or (printed if printed in known else "")
    if not code:
        return problem("code", gettext("The table does not name a device that we know: choose it."))
    if printed in known and printed != code:
        text = gettext("These are the results of the {name} ({code}): choose that device.")
        return problem("code", text.format(name=known[printed], code=printed))
    day: str = inputs["day"]
    shown = [[row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps] for row in rows]
    header = ["Mode", "Configuration", gettext("bytes"), "kpps", "Mbit/s"]
    words = [
        [row.mode, row.configuration, str(row.frame_bytes), number(row.kpps), number(row.mbps)]
        for row in rows
    ]
    return {
        "code": code,
        "tables": [table(gettext("Read, and kpps fit Mbit/s"), header, words)],
        "kept": {
            "day": day,
            "rows": shown,
            "table": _drawn(rows, day),
            "published": published(rows, day),
        },
    }


def published(rows: list[Row], day: str) -> list[dict[str, Any]]:
    """The rows of routing as `rosexplain.summary` takes them."""
    return [
        {
            "configuration": row.configuration,
            "bytes": row.frame_bytes,
            "kpps": row.kpps,
            "mbps": row.mbps,
            "year": gettext("you pasted it on {day}").format(day=day),
            "source": "",
        }
        for row in rows
        if row.mode == "Routing"
    ]


def with_pasted(
    known: dict[str, list[dict[str, Any]]], kept: dict[str, list[dict[str, Any]]] | None
) -> dict[str, list[dict[str, Any]]]:
    """Published results by product code, what the reader pasted in place of ours."""
    every = dict(known)
    every.update(kept or {})
    return every


def _drawn(rows: list[Row], day: str) -> dict[str, Any] | None:
    """A year of the front page's figure; None without a row that it shows."""
    by_setting: dict[str, dict[str, Row]] = {}
    for key, mode, configuration in SETTINGS:
        for row in rows:
            if row.mode == mode and row.configuration == configuration:
                by_setting.setdefault(key, {})[str(row.frame_bytes)] = row
    if not by_setting:
        return None
    rates: dict[str, dict[str, Any]] = {}
    for key, sizes in by_setting.items():
        rates[key] = {}
        for size, row in sizes.items():
            free = by_setting.get("fast-path", {}).get(size)
            share = row.kpps / free.kpps if free and key != "fast-path" else None
            rates[key][size] = {
                "kpps": row.kpps,
                "mbps": row.mbps,
                "rate": packets(row.kpps),
                "bits": bits(row.mbps),
                "share": percent(share),
                "source": "",
                "detail": gettext("you pasted it on {day}").format(day=day),
            }
    every = [row.kpps for sizes in by_setting.values() for row in sizes.values()]
    return {
        "year": gettext("pasted {day}").format(day=day),
        "by": gettext("MikroTik\u2019s test results, as you pasted them on {day}").format(day=day),
        "most": max(every),
        "rates": rates,
    }


def packets(kpps: float) -> str:
    """Packets a second, to the digit that is published.

    >>> packets(93.8)
    '93\\u202f800'
    """
    return grouped(fixed(1000 * kpps, 0))


def bits(mbps: float) -> str:
    """Mbit/s, or Gbit/s from a thousand on, to three digits.

    >>> bits(385.4), bits(9792.9), bits(48.0)
    ('385 Mbit/s', '9.79 Gbit/s', '48 Mbit/s')
    """
    value, unit = (mbps / 1000, "Gbit/s") if mbps >= 1000 else (mbps, "Mbit/s")
    text = fixed(value, 2 if value < 10 else 1 if value < 100 else 0)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def percent(share: float | None) -> str:
    """A share in words: `41 %`; empty for None."""
    return "" if share is None else f"{fixed(100 * share, 0)} %"
