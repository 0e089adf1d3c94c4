"""The lists of timed and of unsteady tests in tests/README.md, made from their marks.

python -m tests.suite.marked [--check]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.suite import marks
from tests.suite.marks import Given

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS / "README.md"
PATTERN = "test_*.py"


@dataclass(frozen=True)
class List:
    """A list of the page: of which mark, what each has to say, and how many there may be."""

    mark: str
    words: tuple[str, ...]
    most: float = math.inf

    @property
    def begin(self) -> str:
        """The line of the page before the list."""
        return f"<!-- {self.mark} -->\n"

    @property
    def end(self) -> str:
        """The line after it."""
        return f"<!-- /{self.mark} -->\n"

    def found(self, folder: Path = TESTS) -> list[Given]:
        """Every such mark of the tests in a folder."""
        return [each for path in sorted(folder.rglob(PATTERN))
                for each in marks.given(path, self.mark)]  # fmt: skip

    def faults(self, found: Sequence[Given]) -> list[str]:
        """What is wrong with these marks."""
        said = [
            f'{each.path}:{each.line}: pytest.mark.{self.mark} wants {word}="...", as a text'
            for each in found
            for word in self.words
            if not each.words.get(word)
        ]
        if len(found) > self.most:
            said.append(
                f"{len(found)} {self.mark} tests, and at most {self.most} may be: mend some"
            )
        return said

    def page(self, text: str, found: Sequence[Given], folder: Path = TESTS) -> str:
        """The page's text with this list."""
        head, rest = text.split(self.begin)
        _, tail = rest.split(self.end)
        names = ("test", *self.words)
        table = [_row(names), _row("---" for _ in names).replace(" ", "")]
        for each in found:
            path = each.path.relative_to(folder).as_posix()
            test = f"`{path}::{each.test}`" if each.test else f"`{path}`"
            table.append(_row([test, *(each.words[word] for word in self.words)]))
        return "".join([head, self.begin, *(table if found else ["None.\n"]), self.end, tail])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


LISTS = (List("timed", ("why",)), List("unsteady", ("why", "since"), most=5))


def main() -> int:
    """Write the lists, or say whether they are those of the marks."""
    text = new = PAGE.read_text(encoding="utf-8")
    faults: list[str] = []
    for each in LISTS:
        found = each.found()
        faults += each.faults(found)
        if not faults:
            new = each.page(new, found)
    if not faults and "--check" in sys.argv[1:]:
        if new != text:
            faults.append("tests/README.md does not list the marks: python -m tests.suite.marked")
    elif not faults:
        PAGE.write_text(new, encoding="utf-8")
    if faults:
        print("\n".join(faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
