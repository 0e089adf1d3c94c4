"""What the course asks of its readers: goals, guesses, quizzes, terms, commands, progress."""

from __future__ import annotations

from sphinx.application import Sphinx

from ppslab.directives import chapter, commands, glossary, items, predicting, progress, quiz


def setup(app: Sphinx) -> None:
    """Register all of it; called by the extension."""
    for each in (items, chapter, predicting, quiz, glossary, commands, progress):
        each.setup(app)
