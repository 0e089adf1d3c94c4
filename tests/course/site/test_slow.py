"""The page "My router only does X Mbit/s": its steps, and every question leads to one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.course.site.directives import slow
from ppslab.testbed.routers.routeros.rsc import lint

ROOT = Path(__file__).parents[3]
STEPS = slow.load(ROOT / slow.FILE)


def test_every_step_goes_on_to_chapters_that_there_are() -> None:
    for step in STEPS.steps:
        assert step.good != step.bad and step.fine != step.wrong
        for chapter in step.chapters:
            assert (ROOT / "book" / chapter).is_file(), f"{step.id}: {chapter}"


def test_every_command_is_one_of_routeros() -> None:
    text = "".join(f"{step.command}\n" for step in STEPS.steps)
    assert lint.check("slow.yml", text, hardware=True, in_passing=True) == []


def test_every_step_is_somebody_s_question_and_every_question_has_one() -> None:
    assert len(STEPS.questions) >= 15
    reached = {question.step for question in STEPS.questions}
    assert reached <= {step.id for step in STEPS.steps}
    assert len(reached) >= 7


def test_a_question_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    path = tmp_path / "slow.yml"
    text = (ROOT / slow.FILE).read_text(encoding="utf-8")
    path.write_text(text.replace("step: hypervisor}", "step: hypervisr}"))
    with pytest.raises(FileError, match="did you mean"):
        slow.load(path)
