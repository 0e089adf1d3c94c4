"""Guesses before a measurement, kept in the reader's browser and shown beside the result."""

from __future__ import annotations

import json
import re
from html import escape
from math import log2
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from ppslab.core.errors import UsageError
from ppslab.core.text.quantities import Quantity
from ppslab.course.notebook.prediction import HIGHEST, LOWEST, Prediction
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.judge import costs
from ppslab.model.results import Record
from ppslab.show import templates

ALL = "All guesses and results"
STEPS = 20
"""Places of the slider from a factor to its double: 3.5 % each."""


def slider(asked: Prediction, record: Record) -> str:
    """The slider as HTML; book/assets/slide.js moves it.  What has no valid trial is not asked."""
    size = min(record.frame_sizes)
    known = {each.name: each.title for each in record.conditions}
    results = [
        {
            "name": name,
            "title": known[name],
            "times": ratio.estimate,
            "text": str(Quantity.of(ratio)),
        }
        for name in asked.asked
        if name in known
        and (ratio := costs.or_none(costs.ratio, record, name, asked.reference, size))
    ]
    low, high = (round(STEPS * log2(limit)) for limit in (LOWEST, HIGHEST))
    return templates.page(
        "guess-slider.html.j2",
        lab=asked.lab,
        steps=STEPS,
        measured=json.dumps(results, ensure_ascii=False),
        reference=known.get(asked.reference, asked.reference),
        results=results,
        low=low,
        high=high,
    )


_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


WENT = "The result"
"""Label that opens the answer to a guess, on the screen where the guess is made."""


class Predict(LabDirective):
    """`{ppslab-predict} LAB`: one slider, how many times as much a condition costs; the answer.

    `:of:` names the conditions to guess, where a lab has too many: `:of: fq-codel simple-25`.
    """

    required_arguments = 1
    option_spec: ClassVar = {"of": directives.unchanged_required}

    def make(self) -> list[nodes.Node]:
        """The slider with what was measured behind it; fields where nothing was."""
        items.note(self.env, "prediction", "costs", "Your guesses of cost")
        source = self.source()
        reference = source.lab.spec.reference
        names = [source.lab.condition(name).name for name in self.options.get("of", "").split()]
        asked_of = [reference, *names] if names else source.lab.titles
        titles = {name: title for name, title in source.lab.titles.items() if name in asked_of}
        asked = Prediction(source.lab.name, titles, reference)
        if source.record is None:
            return [self.raw(asked._repr_html_())]
        return [
            self.raw(slider(asked, source.record)),
            self.raw(f'<details class="ppslab-reveal"><summary>{ALL}</summary>'),
            *table_nodes(asked.beside(source.record)),
            self.raw("</details>"),
        ]


class Guess(LabDirective):
    """`{ppslab-guess} CHAPTER NAME`: one question of the body, answered in a field or by choice.

    `:choices:` parts them by `|`; without it the field takes a word or a number, with `:unit:`
    behind it.
    """

    required_arguments = 2
    has_content = True
    option_spec: ClassVar = {
        "choices": directives.unchanged_required,
        "unit": directives.unchanged_required,
    }

    def make(self) -> list[nodes.Node]:
        """A form with the question as the name of its field."""
        chapter, name = self.arguments
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"name a guess with lowercase letters, digits and dashes, not {name!r}"
            )
        question = " ".join(line.strip() for line in self.content if line.strip())
        if not question:
            raise UsageError("the body asks the question")
        asked = self.inline(question, control=True)
        items.note(self.env, "prediction", name, asked.astext())
        opening = (
            f'<form class="ppslab ppslab-predict" data-lab="{escape(chapter)}" '
            f'data-prediction="{name}"><fieldset><legend>'
        )
        fields = f"</legend>{self._fields(f'guess-{chapter}-{name}', name)}</fieldset>"
        answer = self._answer(chapter, name)
        return [self.raw(opening), asked, self.raw(fields), *answer, self.raw("</form>")]

    def _answer(self, chapter: str, name: str) -> list[nodes.Node]:
        """The result, as its page explains it: the body of its `ppslab-guessed`."""
        here = Path(self.env.doc2path(self.env.docname))
        for page in [here, *sorted(here.parent.glob("*.md"))]:
            body = _answered(page, chapter, name)
            if body:
                self.env.note_dependency(str(page))
                said = self.parse_text_to_nodes("\n".join(body))
                opening = f'<details class="ppslab-reveal"><summary>{WENT}</summary>'
                return [self.raw(opening), *said, self.raw("</details>")]
        return []

    def _fields(self, base: str, name: str) -> str:
        if "choices" not in self.options:
            unit = escape(self.options.get("unit", ""))
            return (
                f'<label for="{base}">Your guess <input type="text" id="{base}" maxlength="60" '
                f'autocomplete="off" data-guess="{name}"> {unit}</label>'
            )
        choices = [each.strip() for each in self.options["choices"].split("|")]
        if len(choices) < 2 or not all(choices):
            raise UsageError("give at least two choices, separated by |")
        return "".join(
            f'<label class="ppslab-choice" for="{base}-{place}"><input type="radio" '
            f'id="{base}-{place}" name="{base}" data-guess="{name}" '
            f'value="{escape(choice, quote=True)}"> {escape(choice)}</label>'
            for place, choice in enumerate(choices)
        )


def _answered(page: Path, chapter: str, name: str) -> list[str]:
    """The lines in the body of `{ppslab-guessed} CHAPTER NAME` on a page, if it is there."""
    opening = re.compile(rf"^(:{{3,}}|`{{3,}})\{{ppslab-guessed\}} {chapter} {name}\s*$")
    lines = iter(page.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if fence := opening.match(line):
            body: list[str] = []
            for each in lines:
                if each.rstrip() == fence[1]:
                    return body
                body.append(each)
    return []


class Guessed(LabDirective):
    """`{ppslab-guessed} CHAPTER NAME`: the guess, and in the body what came out."""

    required_arguments = 2
    has_content = True

    def make(self) -> list[nodes.Node]:
        """A box; without a script it holds the result alone."""
        chapter, name = self.arguments
        if not any(line.strip() for line in self.content):
            raise UsageError("the body says what came out")
        yours = (
            '<p class="ppslab-yours"><strong>You guessed:</strong> '
            f'<span data-guessed="{escape(chapter)}/prediction/{escape(name)}">'
            "see your notes</span></p>"
        )
        below = self.parse_content_to_nodes()
        return [nodes.container("", self.raw(yours), *below, classes=["ppslab-guessed"])]
