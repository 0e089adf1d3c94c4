"""The trainer's download: a day's slides and papers in one file, which only needs a browser.

Made by `make site` before the pages are read: the page that offers it names its size.

    python -m ppslab_class.download
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from ppslab.core import archives, paths
from ppslab.course.site.directives.frame.finish import ADDRESS
from ppslab_class import book, day, slides
from ppslab_class.content import Chapter

NAME: Final = "ppslab-mum-day"
"""The archive's name without its ending, and its one folder."""


def path() -> Path:
    """The file, below the folder of the site that is built."""
    return paths.site_build(paths.project_root()) / "trainer" / f"{NAME}.zip"


def make(output: Path) -> int:
    """Write the file, whole or not at all; return its size in bytes.

    The same day and the same records make the same file.
    """
    today = day.load()
    with tempfile.TemporaryDirectory(prefix="ppslab-day-") as name:
        folder = Path(name) / NAME
        slides.build(decks(today), folder / "slides", hall=False)
        for file, text in papers(today, os.environ.get(ADDRESS, "")).items():
            (folder / file).write_text(text, encoding="utf-8")
        archives.pack(folder, output, NAME)
    return output.stat().st_size


def decks(today: day.Day) -> list[tuple[Chapter, tuple[slides.Slide, ...]]]:
    """Return the day's decks: its slides, with its drills and cases in place of other tasks."""
    return [
        (replace(chapter, tasks=today.exercises(chapter.name), questions=()), chosen)
        for chapter, chosen in today.chapters.values()
    ]


def papers(today: day.Day, site: str = "") -> dict[str, str]:
    """Return each page of HTML beside the slides, by its file; `site`: the site's address."""
    return {
        "index.html": book.front(today, site),
        "instructor.html": book.instructor(today, site),
        "handouts.html": book.handouts(today, site),
        "ticket.html": book.ticket(today),
    }


if __name__ == "__main__":
    size = make(path())
    print(f"The trainer's day: {path()} ({size / 1e6:.1f} MB)")
