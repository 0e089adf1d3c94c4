"""Python for a reader's browser, put together when the site is built.

`recorded` writes what the newest records say, this module finds what the notebooks ask for, `wheel`
packs our own modules, `pyodide` lays all of it beside Pyodide.  None of it runs in the browser;
what does is ppslab.course.site.browser.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any


def code(notebook: Path) -> list[str]:
    """The code of a notebook's cells, in order."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def choices(notebook: Path, method: str) -> list[tuple[list[Any], dict[str, Any]]]:
    """The arguments of each `lab.METHOD(...)`.

    ValueError for one that is no literal: a reader could not press Run on that cell.
    """
    return [
        (
            [ast.literal_eval(value) for value in node.args],
            {str(each.arg): ast.literal_eval(each.value) for each in node.keywords},
        )
        for cell in code(notebook)
        for node in ast.walk(ast.parse(cell))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"lab.{method}"
    ]
