"""Slides come from the chapters alone: what is marked, what the speaker reads, who sees them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab import lab as labs
from ppslab_class.planning import chapters
from ppslab_class.server.files import Files
from ppslab_class.slides import building, decks, marks
from tests.ppslab_class.class_room import ClassRoom

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


@cache
def every_deck() -> dict[str, list[marks.Slide]]:
    """What the chapters' pages mark, read once for all tests."""
    return {name: decks.of(name) for name in decks.names()}


def marked(tmp_path: Path, text: str) -> list[marks.Slide]:
    page = tmp_path / "page.md"
    page.write_text(text)
    return marks.of_page(page)


def test_a_mark_gives_a_title_a_body_and_the_speakers_notes(tmp_path: Path) -> None:
    (slide,) = marked(tmp_path, PAGE)
    assert slide.title == "A title"
    assert slide.body == "See the method.\n\n:::{note}\nInside.\n:::"
    assert slide.notes == "4 minutes.\n\nAsk: Why?\n\nWhat goes wrong: Nobody knows."
    assert slide.guess


def test_an_example_of_a_mark_is_no_slide(tmp_path: Path) -> None:
    assert marked(tmp_path, f"````md\n{PAGE}````\n\n{PAGE}") == marked(tmp_path, PAGE)
    assert "hall" not in every_deck()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PAGE.replace(":minutes:", ":minute:"), "page.md:3: no option 'minute'.*\"minutes\""),
        (PAGE.replace("4", "some"), "page.md:3: minutes are a whole number"),
        (PAGE.replace(" A title", ""), "page.md:3: a slide has a title"),
        (PAGE.replace("Inside", "## Inside").replace(":::{note}\n", ""), "holds no heading"),
        (PAGE.replace("\n::::\n", "\n"), "page.md:3: this slide has no end"),
    ],
)
def test_a_bad_mark_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        marked(tmp_path, text)


def test_every_lab_has_a_deck_with_a_guess_and_notes_on_every_slide() -> None:
    assert set(labs.names()) <= set(every_deck())
    for name, slides in every_deck().items():
        assert all(each.minutes and each.ask and each.wrong for each in slides), name
        text = decks.markdown(chapters.load(name), slides)
        asked = sum(each.guess for each in slides)
        assert text.count(decks.HALL_CLASS) == asked
        assert asked or name not in labs.names(), name


def test_the_minutes_of_a_deck_are_no_more_than_the_chapter_takes() -> None:
    for name, slides in every_deck().items():
        taken = sum(each.minutes for each in slides)
        assert taken <= chapters.load(name).least, name


def test_building_replaces_nothing_but_slides(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("mine")
    with pytest.raises(UsageError, match="something else than slides"):
        building.build(["method"], tmp_path)
    assert (tmp_path / "thesis.md").read_text() == "mine"


def test_staff_sees_the_slides_and_nobody_else(room: ClassRoom, tmp_path: Path) -> None:
    teacher = room.client("instructor")
    assert "make slides" in teacher.get("/slides/").text
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "index.html").write_text("<p>decks</p>")
    room.hall.slides = Files(tmp_path / "decks")
    seen = teacher.get("/slides/")
    assert seen.status_code == 200 and seen.text == "<p>decks</p>"
    assert seen.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "default-src 'self'" in seen.headers["Content-Security-Policy"]
    assert room.client("projector").get("/slides/").status_code == 200
    # A seat's cookie is not even shown there.
    assert room.client("seat-01").get("/slides/").headers["Location"] == "/workshop/pages/join"
    assert room.client().get("/slides/").headers["Location"] == "/workshop/pages/join"
