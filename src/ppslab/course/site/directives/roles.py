"""A number in a sentence: its provenance is the text that a pointer brings up."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from ppslab.core.errors import PpslabError, place_of
from ppslab.judge.costs import NoDataError


class NumberRole(SphinxRole):
    """A role that shows one number; bad words are one error with their line and what there is."""

    forms: ClassVar[str]
    """The forms that the role takes, for its error message."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the number; a failure becomes an error here, which -W makes fatal."""
        try:
            shown, source = self.number(self.text.split())
        except (PpslabError, NoDataError, ValueError, KeyError) as error:
            return self._failed(f"{error} ({self.forms})")
        except Exception as error:  # the page and the build's end say it
            return self._failed(place_of(error))
        return [nodes.abbreviation(shown, shown, explanation=source, classes=["ppslab-number"])], []

    def _failed(self, why: str) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        text = f"{self.name}: {self.text!r}: {why}"
        message = self.inliner.reporter.error(text, line=self.lineno)
        return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]

    @abstractmethod
    def number(self, words: list[str]) -> tuple[str, str]:
        """The number as it is shown, and its source in words."""
