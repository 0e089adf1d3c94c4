"""Quizzes on pages: a form by keyboard or pointer, and every explanation without a script."""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.course.learning import quiz
from ppslab.course.learning.quiz import Question
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.sources import LabDirective

SCRIPT = "quiz.js"


class Quiz(LabDirective):
    """`{ppslab-quiz} NAME [QUESTION ...]`: the questions of a quiz, or some.

    The page holds form, answers and explanations.  Without a script the explanations unfold below
    the answers; with it a chosen answer is explained where it stands.
    """

    optional_arguments = 20

    def make(self) -> list[nodes.Node]:
        """A form for each question."""
        name, *chosen = self.arguments
        self.env.note_dependency(str(quiz.path_of(name)))
        asked = quiz.find(name)
        forms: list[nodes.Node] = []
        for each in chosen or list(asked.questions):
            forms += self._question(each, asked.question(each))
        return forms

    def _question(self, name: str, question: Question) -> list[nodes.Node]:
        base = f"quiz-{name}"
        asked = self.inline(question.ask)
        items.note(self.env, "quiz", name, asked.astext())
        kind = "checkbox" if question.several else "radio"
        form: list[nodes.Node] = [
            self.raw(
                f'<form class="ppslab-quiz" id="{base}" data-question="{escape(name)}" '
                f'data-right="{escape(" ".join(question.right))}"><fieldset><legend>'
            ),
            asked,
            self.raw(_several(question) + "</legend>"),
        ]
        for letter, answer in question.answers.items():
            field = f"{base}-{letter}"
            form += [
                self.raw(
                    f'<div class="ppslab-answer-choice"><input type="{kind}" name="{base}" '
                    f'id="{field}" value="{letter}"><label for="{field}">'
                ),
                self.inline(f"{letter}) {answer.says}"),
                self.raw("</label></div>"),
            ]
        form.append(
            self.raw(
                '</fieldset><p role="status"></p><details><summary>Answers, explained</summary><dl>'
            )
        )
        for letter, answer in question.answers.items():
            form += [
                self.raw("<dt>"),
                self.inline(f"{letter}) {answer.says}"),
                self.raw(f'</dt><dd data-answer="{letter}">'),
                self.inline(answer.because),
                self.raw("</dd>"),
            ]
        form.append(self.raw("</dl></details></form>"))
        return form


def _several(question: Question) -> str:
    if not question.several:
        return ""
    return f' <span class="ppslab-under">({len(question.right)} answers are right)</span>'


def add_script(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, object], doctree: object
) -> None:
    """Load the script on the pages that have a quiz."""
    del templatename, context, doctree
    if any(kind == "quiz" for kind, _, _ in items.ITEMS.of(app.env).get(pagename, [])):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-quiz", Quiz)
    app.connect("html-page-context", add_script)
