"""The learning parts of pages: goals, guesses, quizzes, terms, progress."""

from __future__ import annotations

from sphinx.application import Sphinx

from ppslab.course.site.directives.learning import (
    chapter,
    glossary,
    items,
    predicting,
    progress,
    quiz,
    tasks,
)


def setup(app: Sphinx) -> None:
    """Register all of it; called by the extension."""
    for part in (items, chapter, predicting, quiz, glossary, progress, tasks):
        part.setup(app)
