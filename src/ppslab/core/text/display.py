"""What a notebook shows beside figures and tables: sentences and configuration files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from ppslab.core.text.shown import Shown


class TextBlock(Shown):
    """Sentences under a heading; `aside` where they differ from run to run."""

    def __init__(self, title: str, lines: Sequence[str], *, aside: bool = False) -> None:
        self.title = title
        self.lines = tuple(lines)
        self.aside = aside

    def plain(self) -> str:
        """The title and its lines."""
        mark = "provenance: " if self.aside else ""
        return "\n".join([self.title, *(f"{mark}{line}" for line in self.lines)])

    def html(self) -> str:
        """The title and its lines as a list."""
        aside = " data-aside" if self.aside else ""
        items = "".join(f"<li{aside}>{escape(line)}</li>" for line in self.lines)
        return f'<div class="ppslab"><p>{escape(self.title)}</p><ul>{items}</ul></div>'

    @property
    def of_a_run(self) -> bool:
        """Whether its lines differ from run to run."""
        return self.aside

    def data(self) -> dict[str, Any]:
        """The title, its lines, and whether they differ from run to run."""
        return {
            "kind": "text",
            "title": self.title,
            "lines": list(self.lines),
            "aside": self.aside,
        }


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
