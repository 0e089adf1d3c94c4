"""A pytest plugin: what became of each test, a line of JSON each, in the file $PPSLAB_OUTCOMES.

The file outlives a pytest that is killed, and the time of its last line says how long no test has
ended.  `python -m tests.suite` loads it, and reads the file.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.suite import machine, marks

FILE = "PPSLAB_OUTCOMES"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note how much CPU the hypervisor took while the test ran."""
    item.stash[_before] = machine.ticks()
    return (yield)


_before = pytest.StashKey[machine.Ticks]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Say where a red test kept its files and what the machine did; xdist carries it along."""
    report: Any = yield
    if report.failed:
        folders = [item.funcargs.get("tmp_path") if hasattr(item, "funcargs") else None,
                   os.environ.get("PPSLAB_RESULTS")]  # fmt: skip
        report.ppslab = {
            "folders": [str(each) for each in folders if each],
            "stolen": round(machine.stolen(item.stash[_before], machine.ticks()), 4),
            "speed": round(machine.speed(), 2),
        }
    return report


class _Writer:
    """Writes in the process that talks to the user: a worker's reports come there."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def _line(self, **words: Any) -> None:
        self._file.write(json.dumps({"at": round(time.time(), 2), **words}) + "\n")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._line(event="start", test=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        why = ""
        if report.failed:
            why = in_a_line(report.longreprtext)
        elif hasattr(report, "wasxfail"):
            why = report.wasxfail
        self._line(
            event="report",
            test=report.nodeid,
            when=report.when,
            outcome=_outcome(report),
            seconds=round(report.duration, 3),
            marks=sorted(marks.KNOWN & set(report.keywords)),
            why=why,
            **getattr(report, "ppslab", {}),
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._line(
                event="report", test=report.nodeid, when="collect", outcome="failed", seconds=0,
                marks=[], why=in_a_line(report.longreprtext),
            )  # fmt: skip


def _outcome(report: pytest.TestReport) -> str:
    """An unsteady test is an expected failure: it is told, and decides nothing."""
    if hasattr(report, "wasxfail"):
        return "unsteady" if report.skipped else "passed"
    return str(report.outcome)


def in_a_line(text: str) -> str:
    """What a failure says, in a line: the error itself, or how nbval names it and its last word."""
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    if not lines:
        return ""
    errors = [line[1:].strip() for line in lines if re.match(r"E\s", line)]
    cell = [line for line in lines[:3] if line.startswith("Cell ")]
    told = errors[:1] or [*cell, lines[-1]]
    return ": ".join(dict.fromkeys(told))[:200]


def pytest_configure(config: pytest.Config) -> None:
    """Write where the environment says; in a worker of xdist there is nothing to write."""
    path = os.environ.get(FILE)
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Writer(Path(path)), "ppslab-outcomes")
