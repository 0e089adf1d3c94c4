"""Documents of everything that a notebook can show of the newest records, for course.site.browser.

Each is asked of the notebook's own classes, so that a cell says the same in the browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ppslab.core import paths
from ppslab.core.errors import PpslabError, place_of
from ppslab.course import measuring
from ppslab.course.notebook import notebook
from ppslab.course.notebook.tcp import TcpRun
from ppslab.course.site.browser.documents import as_thing
from ppslab.course.site.browser.measuring import TITLE
from ppslab.course.site.lite.calls import NO_CHOICE, choices
from ppslab.judge.costs import NoDataError
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.results import TcpRecord
from ppslab.model.simulated import EXAMPLES as SIMULATED
from ppslab.show.record_tables import faults

FIGURES = {"run": ("costs", "published"), "tcp": ("goodput", "links")}
TABLES = {
    "run": [
        *("costs", "published", "order", "throughput", "counters"),
        *("forwarded", "placement", "cards", "served", "spread"),
    ],
    "tcp": ["goodput", "retransmits", "links"],
}
WORDS = {
    "run": ("summary", "claims", "cannot_show", "prediction", "provenance"),
    "tcp": ("summary", "claims", "cannot_show"),
}
EXAMPLES = ("loss spikes", "hard limit")
"""The simulated routers whose searches travel along: those of the notebook."""

LIKE = ("dut", "stream", "total", "ccr1036")


def write(folder: Path, notebooks: Path) -> list[Path]:
    """Write `labs/NAME.json` for every lab and `measuring.json`; gives the files written.

    A lab of which a file is wrong has none: the site's pages say it, and fail its build.
    """
    names = [each.name for each in labs.tried().readable]
    made = {f"labs/{name}": lab(name, notebooks / f"{name}.ipynb") for name in names}
    made["measuring"] = searches_and_faults()
    written = []
    for name, document in made.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, separators=(",", ":")))
        written.append(path)
    return written


def lab(name: str, asked_by: Path) -> dict[str, Any]:
    """The document of one lab; `asked_by` is its notebook, if there is one."""
    opened = notebook.open_lab(name)
    found = opened.lab
    sources = dict.fromkeys(row.source for row in published.load(found).values())
    return {
        "name": found.name,
        "title": found.title,
        "shown": repr(opened),
        "reference": found.spec.reference,
        "conditions": [[each.name, each.title] for each in found.conditions.values()],
        "wiring": _said(opened.wiring),
        "table": _said(opened.conditions),
        "published": {
            key: {
                source: _said(opened.published, source or None, everything=everything)
                for source in ("", *sources)
            }
            for key, everything in (("claimed", False), ("everything", True))
        },
        "placement": _said(opened.placement),
        "chr": {each: _said(opened.on_your_chr, each) for each in found.conditions},
        "tasks": _tasks(opened),
        "runs": [*_runs(found, asked_by, "run")],
        "tcp": [*_runs(found, asked_by, "tcp")],
    }


def _said(ask: Callable[..., Any], *about: Any, **more: Any) -> dict[str, Any]:
    try:
        return as_thing(ask(*about, **more))
    except (PpslabError, NoDataError) as error:
        return {"refused": str(error)}
    except Exception as error:  # one record's fault: the site's pages say it, and fail its build
        return {"refused": place_of(error)}


def _tasks(opened: notebook.OpenLab) -> dict[str, Any]:
    try:
        panel = opened.tasks()
        return {"written": {"text": repr(panel), "html": panel._repr_html_()}}
    except PpslabError as error:
        return {"refused": str(error)}


def _runs(found: labs.Lab, asked_by: Path, method: str) -> Iterator[dict[str, Any]]:
    asked = choices(asked_by, method) if asked_by.exists() else [NO_CHOICE[method]]
    for call in asked:
        yield {"call": call, **_run(found, method, call)}


def _run(found: labs.Lab, method: str, call: dict[str, Any]) -> dict[str, Any]:
    path, run, refused = None, None, {}
    try:
        path, run = _newest(found, method, call)
    except PpslabError as error:
        # The newest file is no record: the other labs still have theirs.
        refused = {"refused": str(error)}

    def answer(name: str, *about: str) -> dict[str, Any]:
        if refused:
            return refused
        # Some are methods, some properties.
        return _said(lambda: ask(*about) if callable(ask := getattr(run, name)) else ask)

    return {
        "file": path.relative_to(paths.project_root()).as_posix() if path else "",
        "figures": {kind: answer("figure", kind) for kind in FIGURES[method]},
        "tables": {kind: answer("table", kind) for kind in TABLES[method]},
        **{name: answer(name) for name in WORDS[method]},
    }


def _newest(
    found: labs.Lab, method: str, call: dict[str, Any]
) -> tuple[Path | None, notebook.Run | TcpRun]:
    if method == "run":
        path = results.newest_path(found.name)
        record = results.load(path) if path else None
        if record:
            record = results.only(record, call["conditions"], call["sizes"], search=call["search"])
        return path, notebook.Run(found, record, notebook.open_lab(found.name).predict())
    path = results.newest_path_of(TcpRecord, found.name)
    transfers = results.load_as(path, TcpRecord) if path else None
    if transfers:
        transfers = results.only_tcp(transfers, tuple(call["conditions"]))
    return path, TcpRun(found, transfers)


def searches_and_faults() -> dict[str, Any]:
    """The document of the chapter "Measuring"."""
    compared, watched, curves = {}, {}, {}
    for name in EXAMPLES:
        router = SIMULATED[name]
        comparison = measuring.compare(router, title=TITLE)
        compared[name] = {"table": as_thing(comparison.table()),
                          "figure": as_thing(comparison.figure())}  # fmt: skip
        watch = measuring.watch(router)
        watched[name] = {"table": as_thing(watch.table()), "figure": as_thing(watch.figure())}
        curves[name] = as_thing(measuring.loss_curve(router))
    record = faults.newest("fastpath")
    broken = measuring.Broken("fastpath", record)
    return {
        "ports": _said(measuring.ports),
        "noise": {name: _said(measuring.noise, name) for name in labs.names()},
        "published_meters": {like: _said(measuring.published_meters, like) for like in LIKE},
        "compare": compared,
        "watch": watched,
        "loss_curve": curves,
        "break_it": {
            "faults": [fault.name for fault in record.faults] if record else [],
            "summary": _said(broken.summary),
            "table": _said(broken.table),
            "delays": _said(broken.delays),
            "figure": _said(broken.figure),
        },
    }
