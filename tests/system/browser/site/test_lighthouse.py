"""Lighthouse's scores of a text page and of a page with a widget, as a web server sends them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE
from tests.system.browser.conftest import ARGUMENTS, CHROMIUM
from tests.system.browser.network import Network

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timed(why="Lighthouse makes its score of performance from times of the load"),
]

TEXT = "book/method.html"
WIDGET = "book/measuring/meters.html"

# Of 100.  Performance moves by 10 with what else the machine does: the best of a few counts.
WANTED = {"accessibility": 100, "best-practices": 100, "seo": 100}
PERFORMANCE = {TEXT: 95, WIDGET: 90}
ATTEMPTS = 4

FIRST_LOAD = 1_500_000
"""Bytes of a text page and all that it loads, not compressed."""


@pytest.fixture(scope="module")
def lighthouse(network: Network, site: str, node_modules: Path, tmp_path_factory: Any) -> Any:
    """Measures a page anew; the report."""
    folder = tmp_path_factory.mktemp("lighthouse")

    def measured(path: str) -> dict[str, Any]:
        command = network.argv(
            str(Path(sys.executable).with_name("node")),
            str(node_modules / "lighthouse/cli/index.js"), f"{site}/{path}",
            "--preset=desktop", "--output=json", f"--output-path={folder / 'report.json'}",
            "--quiet", "--no-enable-error-reporting",
            "--only-categories=performance,accessibility,best-practices,seo",
            f"--chrome-flags=--headless=new {' '.join(ARGUMENTS)}",
        )  # fmt: skip
        done = subprocess.run(
            command, env={**os.environ, "CHROME_PATH": CHROMIUM, "CI": "1"},
            capture_output=True, text=True, timeout=5 * PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        assert "runtimeError" not in report, report["runtimeError"]
        return report

    return measured


def scores(report: dict[str, Any]) -> dict[str, int]:
    """Category to its score, of 100."""
    return {name: round(100 * one["score"]) for name, one in report["categories"].items()}


def faults(report: dict[str, Any]) -> list[str]:
    """What takes from the scores that are to be full."""
    named = {ref["id"] for name in WANTED for ref in report["categories"][name]["auditRefs"]
             if ref["weight"]}  # fmt: skip
    return [
        f"{name}: {audit['title']} {json.dumps(audit.get('details', {}).get('items', []))[:400]}"
        for name, audit in report["audits"].items()
        if name in named and audit["score"] is not None and audit["score"] < 1
    ]


@pytest.mark.parametrize("path", PERFORMANCE)
def test_a_page_is_fast_and_open_to_all(lighthouse: Any, path: str) -> None:
    best = 0
    for _ in range(ATTEMPTS):
        report = lighthouse(path)
        found = scores(report)
        assert {name: found[name] for name in WANTED} == WANTED, faults(report)
        best = max(best, found["performance"])
        if best >= PERFORMANCE[path]:
            break
    print(path, found, f"{report['audits']['interactive']['numericValue']:.0f} ms")
    assert best >= PERFORMANCE[path]
    if path == TEXT:
        loaded = report["audits"]["network-requests"]["details"]["items"]
        assert sum(one["resourceSize"] for one in loaded) < FIRST_LOAD
