"""Outputs of a notebook: as HTML, as text, and as the numbers both are made from.

Sentences and configuration files are here; tables and figures have modules of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ppslab.core.provenance import Provenance

NUMBERS = "application/vnd.ppslab.numbers+json"
"""The MIME type of the numbers beside the text and the HTML of an output."""


def sign_html(sign: Mapping[str, Any], *, anchor: str = "") -> str:
    """A `Provenance.sign` as HTML: badges that unfold.

    A `details` needs no script, opens by keyboard, and prints its whole content.  It is marked
    `data-aside`: two runs of the same page may come from two machines.  The anchor is inside it, so
    that a browser opens it for a link.
    """
    badges = " ".join(
        f'<span class="ppslab-origin ppslab-origin-{kind}">{escape(label)}</span>'
        for kind, label in sign["badges"]
    )
    parts = "".join(
        "<dl>"
        + "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in part)
        + "</dl>"
        for part in sign["parts"]
    )
    if anchor:
        parts = parts.replace("<dl>", f'<dl id="{anchor}">', 1)
    return f'<details class="ppslab-made" data-aside><summary>{badges}</summary>{parts}</details>'


def origin_html(provenance: Provenance | None, *, interval: str = "") -> str:
    """The sign of these runs as HTML; empty if there is none."""
    return sign_html(provenance.sign(interval=interval)) if provenance else ""


class Shown(ABC):
    """Something with a text, an HTML and the data of both."""

    @abstractmethod
    def plain(self) -> str: ...

    @abstractmethod
    def html(self) -> str: ...

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """As JSON: `kind` and `title`, its words and its numbers with their units and intervals."""

    @property
    @abstractmethod
    def of_a_run(self) -> bool:
        """True where another run would show other numbers: words alone are the same each time."""

    def __repr__(self) -> str:
        return self.plain()

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return the numbers, which Jupyter keeps beside the text and the HTML."""
        del include, exclude
        return {NUMBERS: self.data()} if self.of_a_run else {}


class TextBlock(Shown):
    """Sentences under a heading; `aside` where they differ from run to run."""

    def __init__(self, title: str, lines: Sequence[str], *, aside: bool = False) -> None:
        self.title = title
        self.lines = tuple(lines)
        self.aside = aside

    def plain(self) -> str:
        mark = "provenance: " if self.aside else ""
        return "\n".join([self.title, *(f"{mark}{line}" for line in self.lines)])

    def html(self) -> str:
        aside = " data-aside" if self.aside else ""
        items = "".join(f"<li{aside}>{escape(line)}</li>" for line in self.lines)
        return f'<div class="ppslab"><p>{escape(self.title)}</p><ul>{items}</ul></div>'

    @property
    def of_a_run(self) -> bool:
        return self.aside

    def data(self) -> dict[str, Any]:
        lines = list(self.lines)
        return {"kind": "text", "title": self.title, "lines": lines, "aside": self.aside}


class Files:
    """Configuration files, each whole and under its name."""

    def __init__(self, title: str, note: str, files: dict[str, str]) -> None:
        self.title = title
        self.note = note
        self.files = files

    def __repr__(self) -> str:
        parts = [f"{self.title}\n{self.note}"]
        parts += [f"--- {name}\n{text.rstrip()}" for name, text in self.files.items()]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        shown = "".join(
            f"<details><summary><code>{escape(name)}</code></summary>"
            f"<pre>{escape(text.rstrip())}</pre></details>"
            for name, text in self.files.items()
        )
        return (
            f'<div class="ppslab"><p><strong>{escape(self.title)}</strong></p>'
            f"<p>{escape(self.note)}</p>{shown}</div>"
        )
