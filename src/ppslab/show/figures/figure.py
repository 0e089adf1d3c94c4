"""A figure: its drawing, the same numbers in words, and the lines below every figure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ppslab.core import documents
from ppslab.core.provenance import INTERVAL, Provenance
from ppslab.core.text.display import Shown, origin_html
from ppslab.core.text.quantities import Content, all_as_data, has_interval


@dataclass(frozen=True, repr=False)
class Figure(Shown):
    """One figure.

    `svg` is a whole `<svg>` element; `wide` another one, which pages show in its place where they
    have room for it (book.css); `alt` says in a sentence what both show; `lines` hold their
    numbers, one a line.  `cannot_show` is what the drawing leaves out; what its router cannot show
    is in `provenance`.  Both are shown below it.
    """

    name: str
    title: str
    svg: str
    alt: str
    lines: tuple[Content, ...] = ()
    provenance: Provenance | None = None
    cannot_show: str = ""
    wide: str = ""

    def html(self) -> str:
        """The drawing inline, so that it takes the page's colours, and its caption."""
        below = ""
        if self.cannot_show:
            below += f'<p class="ppslab-note">{escape(self.cannot_show)}</p>'
        return f"{self.opening()}</strong>{below}{self.sign()}{self.END}"

    END = "</figcaption></figure>"

    def opening(self) -> str:
        """Its HTML up to the end of its title, which is in a `strong`."""
        return (
            f'<figure class="ppslab ppslab-figure"><div class="ppslab-scroll" tabindex="0" '
            f'role="region" aria-label="{escape(self.title, quote=True)}">{self.accessible()}'
            f"{self._wide()}</div><figcaption><strong>{escape(self.title)}"
        )

    @property
    def interval(self) -> str:
        """Kind of its numbers' intervals; empty where none has one."""
        return INTERVAL if any(map(has_interval, self.lines)) else ""

    def sign(self) -> str:
        """Provenance of the numbers, as HTML; empty for no run."""
        return origin_html(self.provenance, interval=self.interval)

    def accessible(self) -> str:
        """The drawing with its name and its words, in ids that no other figure of a page has."""
        return self._accessible(self.svg, self.name)

    def _wide(self) -> str:
        """The other drawing; hidden where no style sheet of ours chooses it."""
        if not self.wide:
            return ""
        svg = self._accessible(self.wide, f"{self.name}-wide")
        return svg.replace('style="color: inherit"', 'style="color: inherit; display: none"', 1)

    def _accessible(self, drawing: str, name: str) -> str:
        svg = re.sub(r"<(title|desc|metadata)\b.*?</\1>\s*", "", drawing, flags=re.DOTALL)
        svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
        svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
        svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
        words = (
            f'<title id="{name}-title">{escape(self.title)}</title>'
            f'<desc id="{name}-desc">{escape(self.alt)}</desc>'
        )
        opening = (
            f'<svg role="img" aria-labelledby="{name}-title {name}-desc" style="color: inherit"'
        )
        return re.sub(r"<svg\b([^>]*)>", lambda m: f"{opening}{m[1]}>{words}", svg, count=1)

    def save(self, path: Path | str) -> None:
        """Write the drawing to a file of its own."""
        # A file of its own has no page to inherit letters from.
        alone = self.accessible().replace("font-family: inherit", "font-family: sans-serif")
        documents.write_atomic(path, alone + "\n")

    def plain(self) -> str:
        shown = [self.title, *map(str, self.lines)]
        if self.cannot_show:
            shown.append(self.cannot_show)
        if self.provenance:
            shown.append(f"provenance: {self.provenance.sentence}")
        return "\n".join(shown)

    @property
    def of_a_run(self) -> bool:
        return self.provenance is not None

    def data(self) -> dict[str, Any]:
        return {
            "kind": "figure",
            "title": self.title,
            "lines": all_as_data([*self.lines, self.cannot_show]),
            "provenance": self.provenance.data() if self.provenance else None,
        }
