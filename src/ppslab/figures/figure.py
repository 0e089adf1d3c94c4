"""A figure: its drawing, the same numbers in words, and what stands below every figure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ppslab import documents, origin


@dataclass(frozen=True)
class Figure:
    """One figure.

    `svg` is a whole `<svg>` element; `alt` says in a sentence what it shows; `lines` hold its
    numbers as text, one a line; `provenance` and `cannot_show` stand below it.
    """

    name: str
    title: str
    svg: str
    alt: str
    lines: tuple[str, ...] = ()
    provenance: str = ""
    cannot_show: str = ""

    def html(self) -> str:
        """The drawing inline, so that it takes the page's colours, and its caption."""
        below = ""
        if self.provenance:
            below += f'<p class="ppslab-provenance" data-aside>{escape(self.provenance)}</p>'
        if self.cannot_show:
            below += f'<p class="ppslab-note">{escape(self.cannot_show)}</p>'
        return (
            f'<figure class="ppslab ppslab-figure"><div class="ppslab-scroll" tabindex="0" '
            f'role="region" aria-label="{escape(self.title, quote=True)}">{self.accessible()}</div>'
            f"<figcaption><strong>{escape(self.title)}</strong>{origin.html(self.provenance)}{below}"
            "</figcaption></figure>"
        )

    def accessible(self) -> str:
        """The drawing with its name and its words, in ids that no other figure of a page has."""
        svg = re.sub(r"<(title|desc|metadata)\b.*?</\1>\s*", "", self.svg, flags=re.DOTALL)
        svg = re.sub(r'\bid="([^"]+)"', rf'id="{self.name}-\1"', svg)
        svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{self.name}-\1)", svg)
        svg = re.sub(r'href="#([^"]+)"', rf'href="#{self.name}-\1"', svg)
        words = (
            f'<title id="{self.name}-title">{escape(self.title)}</title>'
            f'<desc id="{self.name}-desc">{escape(self.alt)}</desc>'
        )
        opening = (
            f'<svg role="img" aria-labelledby="{self.name}-title {self.name}-desc" '
            'style="color: inherit"'
        )
        return re.sub(r"<svg\b([^>]*)>", lambda m: f"{opening}{m[1]}>{words}", svg, count=1)

    def save(self, path: Path | str) -> None:
        """Write the drawing to a file of its own."""
        documents.write_atomic(path, self.accessible() + "\n")

    def __repr__(self) -> str:
        shown = [self.title, *self.lines]
        if self.cannot_show:
            shown.append(self.cannot_show)
        if self.provenance:
            shown.append(f"provenance: {self.provenance}")
        return "\n".join(shown)

    def _repr_html_(self) -> str:
        return self.html()
