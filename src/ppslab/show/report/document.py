"""A report before it is laid out: sections of text, tables, figures and files.

`page` writes it as HTML and `pdf` as pages; neither knows what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppslab.core.text.tables import Table
from ppslab.show.figures import Figure


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Items:
    """Sentences of equal weight, one below the other."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Notice:
    """A box with a heading of its own, which a reader must not overlook."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Files:
    """Files with their names; each is folded on a screen and open on paper.

    `printed` False: on paper only their length is given, as a router's state fills pages.
    """

    files: Mapping[str, str]
    printed: bool = True


Block = Text | Items | Notice | Files | Table | Figure


@dataclass(frozen=True)
class Section:
    """A heading and what follows it."""

    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()

    def walk(self) -> Sequence[Section]:
        return [self, *(found for section in self.sections for found in section.walk())]


@dataclass(frozen=True)
class Document:
    """A whole report: `lead` follows the title, then come the `sections`."""

    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]

    def blocks(self) -> list[Block]:
        """Every block, in reading order."""
        below = [block for top in self.sections for part in top.walk() for block in part.blocks]
        return [*self.lead, *below]
