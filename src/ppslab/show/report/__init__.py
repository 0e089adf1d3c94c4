"""Reports: records as one file that opens offline.

    sources = [report.load("results/fastpath-20261121T052734Z-namespaces.json")]
    page = report.html(sources)

`html` and `pdf` lay the records out, `csv` and `json` write their results as rows.
"""

from __future__ import annotations

import json as _json
from collections.abc import Iterator, Sequence
from typing import Any

from ppslab.core import measures
from ppslab.core.provenance import CLOCKS
from ppslab.judge.port_limits import theory_line
from ppslab.show import paper, record_tables, rows
from ppslab.show.report import page as _page
from ppslab.show.report import parts
from ppslab.show.report.parts import kind_of as kind_of
from ppslab.show.report.sources import Source as Source
from ppslab.show.report.sources import load as load

SCHEMA = "ppslab/report/1"


def html(sources: Sequence[Source], *, printed: bool = False) -> str:
    """Return the report of one record, or of several below each other.

    ValueError without records; UsageError for a kind of record that has no report.
    """
    if not sources:
        raise ValueError("a report needs at least one record")
    title = " and ".join(dict.fromkeys(source.record.title for source in sources))
    what = kind_of(sources[0]).name if len(sources) == 1 else f"{len(sources)} runs"
    return _page.html(
        f"{title}: {what}",
        printed=printed,
        sources=sources,
        parts=parts,
        clocks=CLOCKS,
        measures=measures,
        tables=record_tables,
        theory_line=theory_line,
    )


def pdf(sources: Sequence[Source]) -> bytes:
    """Return the report as PDF; CannotHereError where WeasyPrint or Pango is missing."""
    return paper.pdf(html(sources, printed=True))


def csv(sources: Sequence[Source]) -> str:
    """Every result of the records, one row each (RFC 4180, with a header)."""
    return rows.as_csv([*rows.COLUMNS, *_facts(sources[0])], _results(sources))


def _results(sources: Sequence[Source]) -> Iterator[dict[str, Any]]:
    """Every result of the records, with the facts of its run: rows of many fit in one file."""
    for source in sources:
        facts = _facts(source)
        for row in rows.of(source.record):
            yield {**rows.plain(row), **facts}


def _facts(source: Source) -> dict[str, Any]:
    record, environment = source.record, source.record.environment
    return {
        "record": record.id,
        "lab": record.lab,
        "state": record.state,
        "started": record.started.isoformat(),
        "router": record.router["name"],
        "tester": record.tester.name,
        "backend": record.backend,
        "emulation": str(environment.get("emulation") or "none"),
        "kernel": str(environment.get("kernel", "")),
        "cpu": str(environment.get("cpu", "")),
        "profile": record.profile["name"],
        "seed": record.seed,
        "sha256": source.sha256,
    }


def json(sources: Sequence[Source]) -> str:
    """The heads of the records and every result, as one JSON object."""
    text = _json.dumps(
        {
            "schema": SCHEMA,
            "records": [_head(source) for source in sources],
            "results": list(_results(sources)),
        },
        indent=1,
        ensure_ascii=False,
        allow_nan=False,
    )
    return text + "\n"


def _head(source: Source) -> dict[str, Any]:
    """A record without its trials and results."""
    words = {
        "id", "lab", "title", "started", "finished", "state", "ppslab", "router", "tester",
        "backend", "environment", "cpus", "profile", "deviations", "seed", "conditions", "skipped",
    }  # fmt: skip
    head = source.record.model_dump(mode="json", include=words)
    return {
        "schema": source.schema,
        "file": source.file,
        "sha256": source.sha256,
        "trials": len(source.record.trials),
        "invalid_trials": sum(not trial.valid for trial in source.record.trials),
        "warnings": list(getattr(source.record, "warnings", ())),
        "provenance": source.record.provenance().data(),
        **head,
    }
