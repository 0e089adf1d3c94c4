"""Ask a model in CPython, and in MicroPython as a static page does; both must say the same."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import paths
from ppslab.course.models import model
from ppslab.course.widgets import controls, facts

ROOT = Path(__file__).resolve().parents[3]
NODE = Path(sys.executable).with_name("node")
MODULES = ROOT / "web/node_modules"


PAGES: dict[str, dict[str, Any]] = {
    "slow": {"printed": None, "command": ""},
    "cases": {"case": "", "do": "ask", "text": ""},
    "compare-devices": {"one": "hex", "other": "hex"},
    "results-table": {"code": "RB1100Dx4", "day": "2026-11-29"},
}
"""What the models that are no widgets are asked with, by their pages' own scripts."""


def known(name: str) -> dict[str, Any]:
    """The facts of a model; some are read from records, which takes time."""
    return _known(name, paths.results_dir())


@lru_cache(maxsize=32)
def _known(name: str, _records: Path) -> dict[str, Any]:
    return facts.of(name)


def begins_with(name: str, **inputs: Any) -> dict[str, Any]:
    """The inputs with which a widget or a page begins, but for these."""
    begun = PAGES.get(name) or controls.beginning(controls.of(name, known(name)))
    return {**begun, **inputs}


def ask(name: str, **inputs: Any) -> dict[str, Any]:
    """What the model says in CPython."""
    answer: dict[str, Any] = model(name).answer(begins_with(name, **inputs), known(name))
    return answer


def both(name: str, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """CPython's answers to each of these changes of the inputs, equal to MicroPython's."""
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not here: make test installs it")
    every = [begins_with(name, **inputs) for inputs in asked]
    here = [model(name).answer(inputs, known(name)) for inputs in every]
    wanted = {"files": files(), "name": name, "facts": known(name), "asked": every}
    page = subprocess.run(
        [NODE, ROOT / "web/src/ask.mjs"], capture_output=True, text=True, check=False,
        input=json.dumps(wanted),
    )  # fmt: skip
    assert page.returncode == 0, page.stderr[-3000:] + page.stdout[-3000:]
    assert json.loads(page.stdout) == json.loads(json.dumps(here))
    return here


@lru_cache(maxsize=1)
def files() -> dict[str, str]:
    """What a page's MicroPython imports."""
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/site/models_for_pages.py", "models"],
        capture_output=True,
        check=True,
    )
    found: dict[str, str] = json.loads(made.stdout)
    return found
