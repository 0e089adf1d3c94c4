"""The notebooks' cells say in a browser what they say where ppslab is installed."""

from __future__ import annotations

import ast
import contextlib
import io
import sys
from pathlib import Path
from typing import Any

import pytest

import ppslab
from ppslab import course
from ppslab.course import measuring
from ppslab.course.notebook import notebook
from ppslab.course.site import browser
from ppslab.course.site.browser import measuring as in_browser
from ppslab.course.site.lite import code
from tests.course.site.lite.conftest import NOTEBOOKS

pytestmark = pytest.mark.browser


def shown(path: Path, before: str = "") -> list[tuple[str, str, str]]:
    """Every cell of a notebook with what it shows, as text and as HTML."""
    names: dict[str, Any] = {}
    found = []
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in code(path):
            tree = ast.parse(cell)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, cell, "exec"), names)
            value = None
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), cell, "eval"), names)
            html = getattr(value, "_repr_html_", None)
            found.append((cell, repr(value), (html() if html else "") or ""))
    return found


@pytest.mark.parametrize("name", sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")))
def test_a_notebook_says_the_same(
    name: str, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = NOTEBOOKS / f"{name}.ipynb"
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    monkeypatch.setenv("PPSLAB_RECORDED", str(documents))
    with monkeypatch.context() as patched:
        patched.setattr(ppslab, "open", notebook.open_lab)
        here = shown(path)
    with monkeypatch.context() as patched:
        patched.setattr(ppslab, "open", _open)
        patched.setitem(sys.modules, "ppslab.course.measuring", in_browser)
        patched.setattr(course, "measuring", in_browser)
        there = shown(path)
    assert measuring is not in_browser
    for (cell, *mine), (_, *theirs) in zip(here, there, strict=True):
        assert theirs == mine, cell


def _open(name: str) -> Any:
    """A lab of the browser; its own files are the checkout's."""
    lab = browser.open_lab(name)
    lab.lab.folder = notebook.open_lab(name).lab.folder
    return lab
