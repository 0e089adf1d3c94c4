"""Modules of ours as their sources say: what each imports, and what stands in for YAML.

Nothing is imported for it, so that it can be said of any checkout and for any Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from ppslab.core import documents

PACKAGE = "ppslab"
"""It opens a lab for a notebook, which a module never does: no package's own file is followed."""

FOLDERS = {PACKAGE: ".", "rosexplain": "../packages/rosexplain/src"}
"""Our packages, and where each lies, seen from the sources of ppslab."""


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def followed(
    names: Iterable[str],
    sources: Path,
    text_of: Callable[[Path], str] = _text_of,
    without: str | None = None,
) -> dict[str, Path]:
    """These modules, all that they import, and the packages in which those lie: by name, the file.

    An import inside a function counts, one for type checkers does not.  A module's name in quotes
    counts too: it is started as a program.
    `sources`: the folder that holds ppslab; `text_of`: the text of a module's file;
    `without`: a package that is not followed.
    """
    found: dict[str, Path] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        path = None if name in found else source_of(name, sources)
        if path is None or (without and f"{name}.".startswith(f"{without}.")):
            continue
        found[name] = path
        if name not in FOLDERS:
            waiting += [*imported(text_of(path)), name.rpartition(".")[0]]
    return found


def source_of(name: str, sources: Path) -> Path | None:
    """The file of a module of ours; None for any other, and for a name that is no module."""
    parts = name.split(".")
    if parts[0] not in FOLDERS or not all(part.isidentifier() for part in parts):
        return None
    base = (sources / FOLDERS[parts[0]]).resolve().joinpath(*parts)
    files = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in files if path.is_file()), None)


@cache
def imported(text: str) -> tuple[str, ...]:
    """Every name in a module's text that may be a module of ours."""
    begins = tuple(f"{package}." for package in FOLDERS)
    return tuple(name for name in named(ast.parse(text)) if name.startswith(begins))


def named(tree: ast.AST) -> Iterator[str]:
    """Every name that is imported below a node, and every text, which may name a module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from named(node)


def text_of(module: Path) -> str:
    """A module's text; of one that has a YAML file of its own name beside it, that file's `DATA`.

    It is for a page, whose Python reads no YAML.  FileError where the file is none.
    """
    data = module.with_suffix(".yml")
    if not data.is_file():
        return _text_of(module)
    return f"DATA = {documents.load_yaml(data).data!r}\n"
