"""Names that begin with a dot, as RouterOS's export writes them, written out.

`remote.address=198.18.0.1 .as=65001` means `remote.as=65001`: of properties that have a common
beginning the export names it once, and those behind it in the line begin with the dot.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from routeros_lsp.analyze import analyze
from routeros_lsp.syntax.ast import Named, Node, Statement, Word
from routeros_lsp.syntax.walk import visit


@dataclass(frozen=True)
class WrittenOut:
    """A script whose names are whole, and where in the original its text is from.

    `added`: for each name that was written out, its place in the original and the letters added.
    """

    text: str
    added: tuple[tuple[int, int], ...] = ()

    def original(self, position: int) -> int:
        """A position of `text` in the original; what was added is where its name begins."""
        starts, shift = [], 0
        for place, count in self.added:
            starts.append(place + shift)
            shift += count
        index = bisect_right(starts, position)
        before = sum(count for _, count in self.added[:index])
        if index and position < starts[index - 1] + self.added[index - 1][1]:
            return self.added[index - 1][0]
        return position - before


def written_out(text: str) -> WrittenOut:
    """The script with the names written out whose beginning the one before them has."""
    if " ." not in text and "\t." not in text:
        return WrittenOut(text)
    edits: list[tuple[int, str]] = []

    def see(node: Node, _: Node | None) -> bool:
        if isinstance(node, Statement):
            begins = ""
            for element in node.elements:
                name = element.name if isinstance(element, Named) else None
                if not isinstance(name, Word):
                    begins = ""
                elif name.text.startswith("."):
                    if begins:
                        edits.append((name.start, begins))
                else:
                    begins = name.text.rpartition(".")[0]
        return True

    visit(analyze(text, schema=None).script, see)
    whole = text
    for place, begins in sorted(edits, reverse=True):
        whole = whole[:place] + begins + whole[place:]
    return WrittenOut(whole, tuple((place, len(begins)) for place, begins in sorted(edits)))
