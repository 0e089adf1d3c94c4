"""A built deck in Chromium: no other host asked, notes for the speaker, the hall's histogram."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab_class.server.files import Files
from ppslab_class.slides import building, decks
from tests.ppslab_class.class_room import QUESTION, ClassRoom, batch, event
from tests.system.browser.conftest import chromium
from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

TITLES = "[...document.querySelectorAll('.slides h2')].map(each => each.textContent)"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One deck: Sphinx takes most of the time to begin."""
    output = tmp_path_factory.mktemp("decks") / "slides"
    building.build(["fastpath"], output)
    return output


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium in this machine's network, where the class is served."""
    with chromium() as begun:
        yield begun


def opened(browser: Any, address: str) -> Visit:
    made = Visit(browser.new_context(viewport={"width": 1280, "height": 800}).new_page())
    made.listen()
    made.page.goto(address)
    return made


def go_to_the_guesses(page: Any) -> None:
    page.evaluate(f"Reveal.slide({TITLES}.indexOf({decks.GUESSED!r}) + 1)")


def test_a_deck_from_a_folder_asks_nobody_and_says_that_there_is_no_hall(
    built: Path, browser: Any
) -> None:
    seen = opened(browser, (built / "fastpath.html").as_uri())
    go_to_the_guesses(seen.page)
    place = "document.querySelector('section.present .ppslab-hall-slide').textContent"
    until(seen.page, f"{place}.includes('No hall is served here')")
    assert seen.wrong == []
    assert all(each.startswith("file:") for each in seen.asked)
    # The figure and its numbers are those of the record, as on the chapter's page.
    assert seen.page.evaluate("document.querySelectorAll('.slides .ppslab-figure svg').length") == 1


@pytest.mark.long
def test_every_slide_of_every_deck_fits(tmp_path: Path, browser: Any) -> None:
    for deck in building.build(decks.names(), tmp_path / "slides"):
        assert _too_large(opened(browser, deck.as_uri()).page) == [], deck.name


def _too_large(page: Any) -> Any:
    """The slides that are higher or wider than the screen."""
    return page.evaluate("""() => Reveal.getSlides().flatMap((slide) => {
        Reveal.slide(...Object.values(Reveal.getIndices(slide)).slice(0, 2));
        const {height} = Reveal.getConfig();
        return slide.offsetHeight > height || slide.scrollWidth > slide.clientWidth + 1
            ? [`${slide.querySelector("h1, h2").textContent}: ${slide.offsetHeight}`] : [];
    })""")


def test_the_histogram_of_the_class_is_a_slide(built: Path, browser: Any, room: ClassRoom) -> None:
    room.hall.slides = Files(built)
    (room.hall.site.folder / "favicon.ico").touch()
    seen = opened(browser, f"{room.address}/workshop")
    seen.page.fill("#code", room.codes["instructor"])
    seen.page.click("button")
    seen.page.wait_for_url(lambda address: "/join" not in address)
    seen.page.goto(f"{room.address}/slides/fastpath.html")
    go_to_the_guesses(seen.page)
    place = "document.querySelector('section.present [data-chapter]').textContent"
    until(seen.page, f"{place}.includes('shows no question')")
    for number, guess in enumerate(("2", "2.4", "9"), 1):
        told = batch(event(f"g{number}", "guess", QUESTION, guess))
        room.client(f"seat-0{number}").post("/workshop/api/events", json=told)
    teacher = room.client("instructor")
    teacher.post("/workshop/api/act", json={"do": "show", "what": QUESTION, "phase": "before"})
    until(seen.page, f"{place}.includes('3 guesses')")
    counts = "[...document.querySelectorAll('.bars li')].map(each => each.firstChild.data ?? '')"
    assert sorted(filter(None, seen.page.evaluate(counts))) == ["1", "2"]
    # It was laid out while it was empty.
    bottom = "document.querySelector('section.present .bars').getBoundingClientRect().bottom"
    until(seen.page, f"{bottom} < innerHeight")
    teacher.post("/workshop/api/act", json={"do": "show", "what": QUESTION, "phase": "after"})
    until(seen.page, f"{place}.includes('RB1100AHx2: 2.27')")

    with seen.page.expect_popup() as opening:
        seen.page.keyboard.press("s")
    speaker = opening.value
    until(
        speaker, "document.querySelector('.speaker-controls-notes .value')?.textContent.length > 9"
    )
    notes = speaker.text_content(".speaker-controls-notes .value")
    assert "show the guesses" in notes
    assert seen.wrong == []
    assert not [each for each in seen.asked if not each.startswith(room.address)]
