"""The choices that notebooks make of a run, which the browser must have an answer to."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NO_CHOICE: dict[str, dict[str, Any]] = {
    "run": {"conditions": [], "sizes": [], "search": True},
    "tcp": {"conditions": []},
}
"""Defaults of a call, in the order of its arguments."""


def code(notebook: Path) -> list[str]:
    """The code of a notebook's cells, in order."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def choices(notebook: Path, method: str) -> list[dict[str, Any]]:
    """The whole run, and each choice of `lab.run(...)` or `lab.tcp(...)` in the notebook.

    An argument that is no literal, or that the browser does not know, is an error of ValueError:
    a reader could not press Run on that cell.
    """
    found = [NO_CHOICE[method]]
    for cell in code(notebook):
        found += [choice for call in _calls(cell, method) if (choice := _choice(call)) not in found]
    return found


def _calls(cell: str, method: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(cell)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == method
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "lab"
        ):
            yield node


def _choice(call: ast.Call) -> dict[str, Any]:
    assert isinstance(call.func, ast.Attribute)
    made = dict(NO_CHOICE[call.func.attr])
    for name, value in zip(made, call.args, strict=False):
        made[name] = ast.literal_eval(value)
    for keyword in call.keywords:
        if keyword.arg in made:
            made[keyword.arg] = ast.literal_eval(keyword.value)
    return made
