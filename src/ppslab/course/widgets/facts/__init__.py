"""The facts of the models, from data files and records: a function for each model, and JSON.

In the browser's Python neither the records nor their readers are there, so the build writes every
model's facts into a file that travels with the package (`PPSLAB_FACTS` names another).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ppslab.course.models import WIDGETS

WRITTEN = "facts.json"
"""The file beside this module that holds the facts where they cannot be read."""


def of(name: str) -> dict[str, Any]:
    """The facts of the model `name`; empty where it needs none.

    A model's facts are made by `facts()` of ppslab.course.widgets.facts.NAME.
    """
    written = Path(os.environ.get("PPSLAB_FACTS") or Path(__file__).with_name(WRITTEN))
    if written.is_file():
        known: dict[str, Any] = json.loads(written.read_text(encoding="utf-8")).get(name, {})
        return known
    module = f"ppslab.course.widgets.facts.{name.replace('-', '_')}"
    if find_spec(module) is None:
        return {}
    maker: Callable[[], dict[str, Any]] = import_module(module).facts
    return maker()


def every() -> dict[str, dict[str, Any]]:
    """The facts of every model, by its name: what the build writes."""
    return {name: of(name) for name in WIDGETS}
