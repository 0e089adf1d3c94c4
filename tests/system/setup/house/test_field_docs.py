"""Every field of a lab and a record says what it means, where it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ppslab

PACKAGE = Path(ppslab.__file__).parent
ROOMS = ("model/lab/", "model/results/")
DECLARED = ("BaseModel", "StrictModel", "TypedDict")


def modules() -> dict[Path, ast.Module]:
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    return {path: ast.parse(text) for path, text in texts.items() if "class " in text}


def classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """Every class where a class may stand: not in an expression, where most of a tree is."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield node
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from classes(node)


def models(trees: dict[Path, ast.Module]) -> set[str]:
    """The names of all classes whose annotated names are fields by their base."""
    bases = [
        (each.name, {ast.unparse(base).split("[")[0].rpartition(".")[2] for base in each.bases})
        for tree in trees.values()
        for each in classes(tree)
    ]
    known, before = set(DECLARED), 0
    while len(known) > before:
        before = len(known)
        known |= {name for name, its in bases if its & known}
    return known


def unexplained(found: ast.ClassDef) -> Iterator[str]:
    """Public fields without a description, a docstring of their own, or a word in the class's."""
    about = ast.get_docstring(found) or ""
    for statement, after in zip(found.body, [*found.body[1:], ast.Pass()], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        described = isinstance(statement.value, ast.Call) and any(
            keyword.arg == "description" for keyword in statement.value.keywords
        )
        below = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not (name.startswith("_") or described or below or f"`{name}`" in about):
            yield name


def missing(trees: dict[Path, ast.Module], known: set[str]) -> list[str]:
    return [
        f"{path.relative_to(PACKAGE)}: {each.name}.{field}"
        for path, tree in trees.items()
        if path.relative_to(PACKAGE).as_posix().startswith(ROOMS)
        for each in classes(tree)
        if not each.name.startswith("_")
        and (
            each.name in known
            or any("dataclass" in ast.unparse(mark) for mark in each.decorator_list)
        )
        for field in unexplained(each)
    ]


@pytest.mark.long
def test_every_public_field_says_what_it_means() -> None:
    trees = modules()
    assert missing(trees, models(trees)) == []


def test_a_field_that_says_nothing_is_found() -> None:
    text = '''
@dataclass
class One:
    """`told`: is told here."""
    told: int
    below: int
    """Is told below."""
    silent: int
    _own: int

class Two(StrictModel):
    described: int = Field(description="is told")
    mute: int = Field(gt=0)

class Three(Two):
    of_a_model: int

class Plain:
    no_field: int
'''
    trees = {PACKAGE / "model" / "lab" / "made.py": ast.parse(text)}
    assert missing(trees, models(trees)) == [
        "model/lab/made.py: One.silent",
        "model/lab/made.py: Two.mute",
        "model/lab/made.py: Three.of_a_model",
    ]
