"""The list of unsteady tests in tests/README.md, made from their marks.

python -m tests.suite.unsteady [--check]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS / "README.md"
BEGIN, END = "<!-- unsteady -->\n", "<!-- /unsteady -->\n"
MOST = 5


@dataclass(frozen=True)
class Unsteady:
    """A mark: where, why and since which day."""

    test: str
    why: str
    since: str


def marked(folder: Path = TESTS) -> list[Unsteady]:
    """Every mark of the tests in a folder."""
    files = sorted(folder.rglob("test_*.py"))
    return [
        found
        for path in files
        if "mark.unsteady" in (text := path.read_text(encoding="utf-8"))
        for found in _of(path.relative_to(folder).as_posix(), ast.parse(text))
    ]


def _of(name: str, tree: ast.Module) -> Iterator[Unsteady]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.unsteady":
                words = {word.arg: ast.literal_eval(word.value) for word in mark.keywords}
                why = ast.literal_eval(mark.args[0])
                yield Unsteady(f"{name}::{function.name}", why, words["since"])


def page(text: str, found: list[Unsteady]) -> str:
    """The page's text with this list."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    rows = [f"| `{each.test}` | {each.why} | {each.since} |\n" for each in found]
    table = ["| test | why | since |\n", "|---|---|---|\n", *rows] if rows else ["None.\n"]
    return "".join([head, BEGIN, *table, END, tail])


def main() -> int:
    """Write the list, or say whether it is that of the marks."""
    found = marked()
    text = PAGE.read_text(encoding="utf-8")
    new = page(text, found)
    if len(found) > MOST:
        print(f"{len(found)} unsteady tests, and at most {MOST} may be: mend some")
        return 1
    if "--check" in sys.argv[1:]:
        if new != text:
            print("tests/README.md does not list the marks: python -m tests.suite.unsteady")
        return int(new != text)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
