"""A number in a sentence: its provenance is the text that a pointer brings up."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from ppslab.analysis import NoDataError
from ppslab.errors import PpslabError


class NumberRole(SphinxRole):
    """A role that shows one number; bad words are one error with their line and what there is."""

    forms: ClassVar[str]
    """What may be asked, for the message."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the number; a failure becomes an error here, which -W makes fatal."""
        try:
            shown, said = self.number(self.text.split())
        except (PpslabError, NoDataError, ValueError, KeyError) as error:
            message = self.inliner.reporter.error(
                f"{self.name}: {self.text!r}: {error} ({self.forms})", line=self.lineno
            )
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        return [nodes.abbreviation(shown, shown, explanation=said, classes=["ppslab-number"])], []

    @abstractmethod
    def number(self, words: list[str]) -> tuple[str, str]:
        """The number as it is shown, and what is said of where it comes from."""
