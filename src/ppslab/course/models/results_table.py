"""Test results of MikroTik's that a reader pasted: read, checked, and ready for every page.

The page keeps an answer's `kept` in the reader's browser; the figure of the front page draws its
`table`, and `explain` reads its `published`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppslab.core.text.grouping import grouped
from ppslab.core.text.language import gettext
from ppslab.course.models.drawing import fixed, number, problem, table
from ppslab.model.device_choice import FAST_PATH, QUEUES, RULES
from ppslab.model.results_table import Row, TableError, pasted

SETTINGS = (
    ("fast-path", "Routing", FAST_PATH),
    ("rules", "Routing", RULES),
    ("queues", "Routing", QUEUES),
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
    when = gettext("you pasted it on {day}").format(day=day)
    settings = by_setting(rows)
    year = gettext("pasted {day}").format(day=day)
    by = gettext("MikroTik\u2019s test results, as you pasted them on {day}").format(day=day)
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
            "table": drawn(settings, year, by, lambda _: {"source": "", "detail": when})
            if settings
            else None,
            "published": published(rows, when),
        },
    }


def published(rows: list[Row], when: str) -> list[dict[str, Any]]:
    """The rows of routing as `rosexplain.summary` takes them."""
    return [
        {
            "configuration": row.configuration,
            "bytes": row.frame_bytes,
            "kpps": row.kpps,
            "mbps": row.mbps,
            "year": when,
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


def by_setting(rows: list[Any]) -> dict[str, dict[int, Any]]:
    """The rows that the front page's figure shows, by setting and frame size."""
    found: dict[str, dict[int, Any]] = {}
    for key, mode, configuration in SETTINGS:
        for row in rows:
            if row.mode == mode and row.configuration == configuration:
                found.setdefault(key, {})[row.frame_bytes] = row
    return found


def drawn(
    settings: dict[str, dict[int, Any]], year: str, by: str, cite: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """A year of the front page's figure; `cite` has the `source` and the `detail` of a row.

    A cell's `share` is the packet rate over that of the Fast Path, if one document has both.
    """
    rates: dict[str, dict[str, Any]] = {}
    for key, sizes in settings.items():
        rates[key] = {}
        for size, row in sizes.items():
            cell = cite(row)
            cell["kpps"] = row.kpps
            cell["mbps"] = row.mbps
            cell["rate"] = packets(row.kpps)
            cell["bits"] = bits(row.mbps)
            cell["share"] = ""
            free = settings.get("fast-path", {}).get(size)
            if free and key != "fast-path" and cite(free)["source"] == cell["source"]:
                cell["share"] = fixed(100 * row.kpps / free.kpps, 0) + " %"
            rates[key][str(size)] = cell
    most = max([row.kpps for sizes in settings.values() for row in sizes.values()])
    return {"year": year, "by": by, "most": most, "rates": rates}


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
