"""Quizzes on pages: a form by keyboard or pointer, and every explanation without a script."""

from __future__ import annotations

from html import escape

from docutils import nodes

from ppslab.course.learning import again, quiz
from ppslab.course.learning.quiz import Question
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.sources import LabDirective

MARK = 'class="ppslab-quiz"'
"""Mark of every form of a question."""


class Quiz(LabDirective):
    """`{ppslab-quiz} NAME [QUESTION ...]`: the questions of a quiz, or some.

    The page holds form, answers and explanations.  Without a script the explanations unfold below
    the answers; with it a chosen answer is explained where it stands.
    """

    required_arguments = 1
    optional_arguments = 20

    def make(self) -> list[nodes.Node]:
        name, *chosen = self.arguments
        self.env.note_dependency(str(quiz.path_of(name)))
        asked = quiz.find(name)
        forms: list[nodes.Node] = []
        for each in chosen or list(asked.questions):
            question = asked.question(each)
            items.note(self.env, "quiz", each, self.inline(question.ask).astext())
            forms += self._question(each, question, items.chapter_of(self.env.docname))
        return forms

    def _question(self, name: str, question: Question, chapter: str) -> list[nodes.Node]:
        """The form of a question whose answer counts in `chapter`."""
        base, kind = f"quiz-{name}", "checkbox" if question.several else "radio"
        several = f"({len(question.right)} answers are right)"
        form: list[nodes.Node] = [
            self.raw(
                f'<form {MARK} id="{base}" data-chapter="{escape(chapter)}" '
                f'data-question="{escape(name)}" '
                f'data-right="{escape(" ".join(question.right))}"><fieldset><legend>'
            ),
            self.inline(question.ask, control=True),
            self.raw(f' <span class="ppslab-under">{several}</span>' * question.several),
            self.raw("</legend>"),
        ]
        for letter, answer in question.answers.items():
            field = f"{base}-{letter}"
            opening = (
                f'<div class="ppslab-answer-choice"><input type="{kind}" name="{base}" '
                f'id="{field}" value="{letter}"><label for="{field}">{letter}) '
            )
            words = self.inline(answer.says, control=True)
            form += [self.raw(opening), words, self.raw("</label></div>")]
        status = '</fieldset><p role="status"></p>'
        form.append(self.raw(f"{status}<details><summary>Answers, explained</summary><dl>"))
        for letter, answer in question.answers.items():
            form += [
                self.raw(f"<dt>{letter}) "),
                self.inline(answer.says),
                self.raw(f'</dt><dd data-answer="{letter}">'),
                self.inline(answer.because),
                self.raw("</dd>"),
            ]
        return [*form, self.raw("</dl></details></form>")]


class Again(Quiz):
    """`{ppslab-again} CHAPTER`: what earlier chapters asked, asked of another situation.

    book/again.yml has the questions; a right answer counts in the chapter that taught its point.
    """

    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """The forms, in a closed fold."""
        self.env.note_dependency(str(again.path()))
        asked = again.of(self.arguments[0])
        box: list[nodes.Node] = [
            self.raw(
                '<details class="ppslab-again">'
                "<summary>Do you remember? Questions from the chapters before this one; leave out "
                "those that you have not read</summary>"
            )
        ]
        for each in asked:
            self.env.note_dependency(str(quiz.path_of(each.quiz)))
            box += self._question(each.name, each.question, each.chapter)
        return [*box, self.raw("</details>")]
