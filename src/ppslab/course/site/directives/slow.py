"""`{ppslab-slow}`: the steps of book/slow.yml, from a slow router to the chapter about it."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from pydantic import Field, model_validator
from sphinx.application import Sphinx

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.course.site.directives.sources import LabDirective
from ppslab.model.manual import FactIds

FILE = "book/slow.yml"


class Step(StrictModel):
    """A question, the command that answers it, both answers, and where each leads."""

    id: str
    title: str
    asks: str
    command: str
    good: str
    bad: str
    fine: str
    wrong: str
    chapters: tuple[str, ...] = Field(min_length=1)
    facts: FactIds = ()


class Question(StrictModel):
    """What somebody asks, and the step that it leads to."""

    asks: str
    step: str


class Slow(StrictModel):
    """The whole file."""

    steps: tuple[Step, ...] = Field(min_length=1)
    questions: tuple[Question, ...]

    @model_validator(mode="after")
    def _led(self) -> Slow:
        known = [step.id for step in self.steps]
        for question in self.questions:
            if question.step not in known:
                near = did_you_mean(question.step, known)
                raise ValueError(f"{question.asks}: no step {question.step!r}{near}")
        return self


def load(path: Path) -> Slow:
    """The file; FileError with the line of what is wrong in it."""
    return fitting.validate(documents.load_yaml(path), Slow)


class Steps(LabDirective):
    """The questions with their steps, and the steps."""

    required_arguments = 0
    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """A list of questions, and a section a step."""
        path = Path(self.env.srcdir) / FILE
        self.env.note_dependency(str(path))
        slow = load(path)
        titles = {step.id: (number, step.title) for number, step in enumerate(slow.steps, 1)}
        asked = nodes.bullet_list()
        for question in slow.questions:
            number, title = titles[question.step]
            text = nodes.paragraph(text=f"{question.asks[0].upper()}{question.asks[1:]}: ")
            shown = f"step {number} ({title})"
            text += nodes.reference("", shown, internal=True, refid=f"slow-{question.step}")
            asked += nodes.list_item("", text)
        return [asked, *(self._step(n, step) for n, step in enumerate(slow.steps, 1))]

    def _step(self, number: int, step: Step) -> nodes.Node:
        section = nodes.section(ids=[f"slow-{step.id}"])
        section += nodes.title(text=f"{number}. {step.title}")
        section += nodes.paragraph("", "", nodes.strong(text=step.asks))
        section += nodes.literal_block(step.command, step.command, language="text")
        section += self._way("Good", step.good, step.fine)
        section += self._way("Bad", step.bad, step.wrong)
        links = ", ".join(f"[]({chapter})" for chapter in step.chapters)
        section += self.markdown([f"**Measured in:** {links}"])
        if step.facts:
            section += self.markdown(["```{ppslab-manual}", *step.facts, "```"])
        return section

    def _way(self, what: str, output: str, then: str) -> nodes.Node:
        block = nodes.container()
        block += nodes.paragraph("", f"{what}, in the format that the manual prints:")
        block += nodes.literal_block(output, output.rstrip("\n"), language="text")
        block += self.markdown([then])
        return block


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("ppslab-slow", Steps)
