"""Before the day: papers, and slides."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab_class import content, paper, slides


def test_every_lab_is_a_chapter_with_goals_tasks_and_what_to_type_at_a_router() -> None:
    for name in labs.names():
        chapter = content.chapter(name)
        assert chapter.goals and chapter.keys and chapter.tasks, name
        page = paths.project_root() / "book" / name / "router.md"
        assert slides.marked(page) or slides.on_a_router(name), name
    with pytest.raises(UsageError, match="fastpath"):
        content.chapter("fastpaht")


def test_a_paper_shows_the_number_that_a_role_names() -> None:
    with_it = paper.text("about {ppslab-number}`fasttrack published forum-reports-lowest`")
    assert published.load(labs.find("fasttrack"))["forum-reports-lowest"].shown in with_it
    with pytest.raises(UsageError, match="ppslab-figure"):
        paper.text("{ppslab-figure}`costs`")


# --- slides --------------------------------------------------------------------------------------

PAGE = """# A page

::::{ppslab-slide} A title
:minutes: 4
:ask: Why?
:wrong: Nobody knows.
:guess:

See [the method](../method.md).

:::{note}
Inside.
:::
::::

No slide.
"""


def marked(tmp_path: Path, text: str) -> list[slides.Slide]:
    page = tmp_path / "page.md"
    page.write_text(text)
    return slides.marked(page)


def test_an_example_of_a_mark_is_no_slide(tmp_path: Path) -> None:
    assert marked(tmp_path, f"````md\n{PAGE}````\n\n{PAGE}") == marked(tmp_path, PAGE)


@pytest.mark.parametrize(
    "text",
    [
        PAGE.replace(":minutes:", ":minute:"),
        PAGE.replace("4", "some"),
        PAGE.replace(" A title", ""),
        PAGE.replace("Inside", "## Inside").replace(":::{note}\n", ""),
        PAGE.replace("\n::::\n", "\n"),
    ],
)
def test_a_bad_mark_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError, match=r"page\.md:"):
        marked(tmp_path, text)


def test_every_lab_has_a_deck_with_a_guess_and_notes_on_every_slide() -> None:
    every = {name: slides.of(name) for name in slides.names()}
    assert set(labs.names()) <= set(every) and "hall" not in every
    for name, deck in every.items():
        assert all(each.minutes and each.ask and each.wrong for each in deck), name
        text = slides.markdown(content.chapter(name), deck)
        asked = sum(each.guess for each in deck)
        assert text.count(slides.HALL_CLASS) == asked
        assert asked or name not in labs.names(), name
