"""Guesses before a measurement, kept in the reader's browser and shown beside the result."""

from __future__ import annotations

import re
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.directives import items
from ppslab.directives.nodes import table_nodes
from ppslab.directives.sources import LabDirective, no_record
from ppslab.errors import UsageError
from ppslab.prediction import Prediction

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Predict(LabDirective):
    """`{ppslab-predict} LAB`: a field for each condition, how many times as dear it is."""

    def make(self) -> list[nodes.Node]:
        """The form, which a page without a script shows too."""
        items.note(self.env, "prediction", "costs", "Your guesses of cost")
        return [self.raw(Prediction(self.source().lab)._repr_html_())]


class Predicted(LabDirective):
    """`{ppslab-predicted} LAB`: the guesses beside what the newest run measured."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        return table_nodes(Prediction(source.lab).beside(source.record))


class Guess(LabDirective):
    """`{ppslab-guess} CHAPTER NAME`: one question of the body, answered in a field or by choice.

    `:choices:` parts them by `|`; without it the field takes a word or a number, with `:unit:`
    behind it.
    """

    required_arguments = 2
    optional_arguments = 0
    has_content = True
    option_spec: ClassVar = {
        "choices": directives.unchanged_required,
        "unit": directives.unchanged_required,
    }

    def make(self) -> list[nodes.Node]:
        """A form with the question as the name of its field."""
        chapter, name = self.arguments
        if not _NAME.fullmatch(name):
            raise UsageError(f"a guess is named by small letters, digits and dashes, not {name!r}")
        question = " ".join(line.strip() for line in self.content if line.strip())
        if not question:
            raise UsageError("the body asks the question")
        shown, said = self.parse_inline(question)
        asked = nodes.inline("", "", *shown, *said)
        items.note(self.env, "prediction", name, asked.astext())
        base = f"guess-{chapter}-{name}"
        opening = (
            f'<form class="ppslab ppslab-predict" data-lab="{escape(chapter)}" '
            f'data-prediction="{name}"><fieldset><legend>'
        )
        return [
            self.raw(opening),
            asked,
            self.raw(f"</legend>{self._fields(base, name)}</fieldset></form>"),
        ]

    def _fields(self, base: str, name: str) -> str:
        if "choices" not in self.options:
            unit = escape(self.options.get("unit", ""))
            return (
                f'<label for="{base}">Your guess <input type="text" id="{base}" maxlength="60" '
                f'autocomplete="off" data-guess="{name}"> {unit}</label>'
            )
        choices = [each.strip() for each in self.options["choices"].split("|")]
        if len(choices) < 2 or not all(choices):
            raise UsageError("choices are parted by |, and there are at least two")
        return "".join(
            f'<label class="ppslab-choice" for="{base}-{place}"><input type="radio" '
            f'id="{base}-{place}" name="{base}" data-guess="{name}" '
            f'value="{escape(choice, quote=True)}"> {escape(choice)}</label>'
            for place, choice in enumerate(choices)
        )


class Guessed(LabDirective):
    """`{ppslab-guessed} CHAPTER NAME`: the guess, and in the body what came out."""

    required_arguments = 2
    optional_arguments = 0
    has_content = True

    def make(self) -> list[nodes.Node]:
        """A box; without a script it holds the result alone."""
        chapter, name = self.arguments
        if not any(line.strip() for line in self.content):
            raise UsageError("the body says what came out")
        box = nodes.container(classes=["ppslab-guessed"])
        box += self.raw(
            '<p class="ppslab-yours"><strong>You guessed:</strong> '
            f'<span data-guessed="{escape(chapter)}/prediction/{escape(name)}">'
            "see your notes</span></p>"
        )
        box += self.parse_content_to_nodes()
        return [box]


def setup(app: Sphinx) -> None:
    """Register the directives; called by the extension."""
    app.add_directive("ppslab-predict", Predict)
    app.add_directive("ppslab-predicted", Predicted)
    app.add_directive("ppslab-guess", Guess)
    app.add_directive("ppslab-guessed", Guessed)
