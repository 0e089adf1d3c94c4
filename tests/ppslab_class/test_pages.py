"""A class in Chromium: learner, instructor, projector and slides, by their own scripts."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ppslab_class import book, content, day, download, slides
from ppslab_class.server import Files
from tests.ppslab_class.class_room import POLICY, QUESTION, TASK, ClassRoom, batch, event, served
from tests.system.browser.conftest import ROOT, chromium
from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium in this machine's network, where the class is served."""
    with chromium() as begun:
        yield begun


@pytest.fixture
def opened(browser: Any, request: pytest.FixtureRequest) -> Callable[[str], Visit]:
    def open_page(address: str) -> Visit:
        context = browser.new_context()
        request.addfinalizer(context.close)
        made = Visit(context.new_page())
        made.listen()
        made.page.goto(address)
        return made

    return open_page


def join(visit: Visit, room: ClassRoom, code: str) -> None:
    staff = code in (room.codes["instructor"], room.codes["projector"])
    visit.page.goto(f"{room.staff_address if staff else room.address}/workshop")
    visit.page.fill("#code", code.lower())
    visit.page.click("button")
    visit.page.wait_for_url(lambda address: "/join" not in address)


def api(visit: Visit, address: str) -> list[str]:
    return [asked for asked in visit.asked if "/api/" in asked and asked.startswith(address)]


FORM = """<form class="ppslab-predict" data-lab="fastpath">
<input data-guess="routing-plain" aria-label="guess"></form>"""

SCRIPTS = ("progress.js", "predict.js")


def put_page(folder: Path, name: str, policy: str) -> None:
    """A page with the scripts of the course that keep progress and guesses."""
    scripts = "".join(f'<script defer src="/{script}"></script>' for script in SCRIPTS)
    (folder / f"{name}.html").write_text(
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="ppslab-chapter" content="fastpath" data-page="{name}">'
        f"<title>{name}</title>{scripts}</head><body>{FORM}</body></html>"
    )


def prepare(room: ClassRoom) -> None:
    folder = room.hall.site.folder
    for script in SCRIPTS:
        shutil.copy(ROOT / "book/assets" / script, folder / script)
    (folder / "favicon.ico").touch()
    put_page(folder, "index", POLICY)
    put_page(folder, "sealed", "default-src 'self'; connect-src blob:")


def tell_and_hear(learner: Visit, teacher: Visit) -> None:
    """A guess, a failed task and a call for help come to the board; an answer comes back."""
    learner.page.fill("input[data-guess]", "2.5")
    learner.page.evaluate(
        """([chapter, id]) => document.dispatchEvent(new CustomEvent("ppslab:task",
            {detail: {chapter, id, kind: "tried", value: "fail"}}))""",
        [TASK.split("/")[0], TASK.split("/")[2]],
    )
    learner.page.click(".ppslab-hall summary")
    learner.page.click("text=Ask for help")
    until(teacher.page, "Boolean(document.querySelector('tr.help'))")
    first = teacher.page.text_content("tbody tr")
    assert first and "seat-01" in first and "asks for help" in first and "1 failed try" in first
    assert "front page" in first, "no address of a page"
    teacher.page.check("tr.help input[type=checkbox]")
    teacher.page.fill("#text", "Look <b>here</b>")
    teacher.page.fill("#link", "/sealed.html")
    teacher.page.click("#message button")
    until(learner.page, "document.querySelector('.ppslab-hall li')?.textContent.length > 10")
    assert learner.page.text_content(".ppslab-hall li") == "Look <b>here</b> /sealed.html"


def show_to_all(learner: Visit, teacher: Visit, projector: Visit) -> None:
    """The question comes to the projector: guesses, then the figures beside the published one."""
    teacher.page.select_option("#question", QUESTION)
    teacher.page.click("#show button[value=before]")
    until(projector.page, "document.querySelector('#count').textContent === '1 guess'")
    teacher.page.click("#show button[value=after]")
    until(projector.page, "document.querySelectorAll('.beside').length === 1")
    said = "document.querySelector('.guessed').textContent"
    assert "1 seat" in projector.page.evaluate(said)
    until(learner.page, "!document.querySelector('.ppslab-hall form').hidden")


QUEUED = "JSON.parse(localStorage.getItem('ppslab-workshop')).queue.map(e => e.kind)"


def work_without_a_server(learner: Visit) -> None:
    """What is done meanwhile waits in the browser."""
    learner.page.fill(".ppslab-hall form input", "3.1")
    learner.page.click(".ppslab-hall form button")
    learner.page.evaluate("""document.dispatchEvent(new CustomEvent("ppslab:done",
        {detail: {chapter: "fastpath", kind: "task", id: "open-it"}}))""")
    line = "document.querySelector('.ppslab-hall-line').textContent"
    until(learner.page, f"{line}.includes('cannot be reached')")
    until(learner.page, f"{QUEUED}.includes('done') && {QUEUED}.includes('measured')")


def begin_anew_and_leave(learner: Visit, room: ClassRoom) -> None:
    """A reset seat puts its progress aside; who has left tells nothing more."""
    reset = {"do": "reset", "seat": "seat-01"}
    room.client("instructor").post("/workshop/api/act", json=reset)
    learner.page.goto(room.address)
    until(learner.page, "Object.keys(ppslab.progress.read().done).length === 0")
    kept = "Object.keys(localStorage).filter(k => k.startsWith('ppslab-progress-')).length"
    assert learner.page.evaluate(kept) == 1
    learner.page.click(".ppslab-hall summary")
    with learner.page.expect_navigation():
        learner.page.click("text=Leave the workshop")
    assert learner.page.evaluate("localStorage.getItem('ppslab-workshop')") is None


def test_a_class_from_the_first_code_to_a_server_that_comes_back(
    tmp_path: Path, opened: Callable[[str], Visit]
) -> None:
    with ExitStack() as hall:
        room = hall.enter_context(served(tmp_path))
        prepare(room)
        learner = opened(room.address)
        learner.page.wait_for_timeout(300)  # Nothing happens: there is no event to wait for.
        assert api(learner, room.address) == [], "who has not joined tells and asks nothing"
        join(learner, room, room.codes["seat-01"])
        teacher, projector = opened(room.staff_address), opened(room.staff_address)
        join(teacher, room, room.codes["instructor"])
        join(projector, room, room.codes["projector"])
        tell_and_hear(learner, teacher)
        show_to_all(learner, teacher, projector)
        for visit in (teacher, projector):
            assert visit.wrong == []
            assert not [each for each in visit.asked if not each.startswith(room.staff_address)]

        hall.close()
        work_without_a_server(learner)

        first, second = (int(at.rsplit(":", 1)[1]) for at in (room.address, room.staff_address))
        again = hall.enter_context(served(tmp_path, ports=(first, second)))
        assert again.codes == {}, "what the cards say stays good"
        again.codes = room.codes
        prepare(again)
        learner.page.evaluate("dispatchEvent(new Event('online'))")
        until(learner.page, f"{QUEUED}.length === 0")
        seats = again.client("instructor").get("/workshop/api/class").json()["seats"]
        task = seats[0]["tasks"][TASK]
        assert (task["fails"], bool(task["done"])) == (1, True)
        until(projector.page, "document.querySelector('.figures')?.textContent === 'seat 01: 3.1'")

        asked = len(api(learner, room.address))
        learner.page.goto(f"{room.address}/sealed.html")
        learner.page.wait_for_timeout(1500)  # Nothing happens: a seat asks first as it loads.
        assert len(api(learner, room.address)) == asked, "a sealed page asks nobody"
        begin_anew_and_leave(learner, again)


def test_who_has_joined_is_told_so_and_can_leave(
    room: ClassRoom, opened: Callable[[str], Visit]
) -> None:
    prepare(room)
    learner = opened(room.address)
    join(learner, room, room.codes["seat-02"])
    learner.page.goto(f"{room.address}/workshop")
    until(learner.page, "document.querySelector('h1').textContent === 'You have joined'")
    assert "as seat 02" in (learner.page.text_content("#who") or "")
    assert not learner.page.is_visible("#code"), "no code is asked for again"
    learner.page.click("#leave")
    until(learner.page, "document.activeElement.id === 'code'")
    assert learner.page.evaluate("localStorage.getItem('ppslab-workshop')") is None
    assert learner.wrong == []


# --- a notebook that is a learner's ---------------------------------------------------------------

TRIES = """async ({staff, seat}) => {
  const json = {"Content-Type": "application/json"};
  const text = {"Content-Type": "text/plain"};
  const act = JSON.stringify({do: "message", text: "from a notebook", seats: [seat]});
  const opened = open(`${staff}/workshop/pages/board`);
  const asked = {};
  const tell = async (name, does) => {
    try { asked[name] = await does(); } catch (error) { asked[name] = error.name; }
  };
  const code = async (...words) => { const one = await fetch(...words); return one.status; };
  const post = {method: "POST", headers: json, body: act};
  await tell("act here", () => code("/workshop/api/act", post));
  await tell("class here", () => code("/workshop/api/class"));
  for (const mode of ["cors", "no-cors"]) {
    const own = {credentials: "include", mode};
    await tell(`class ${mode}`, () => code(`${staff}/workshop/api/class`, own));
    for (const [name, headers] of Object.entries({json, text})) {
      const sent = {...post, headers, ...own};
      await tell(`act ${mode} ${name}`, () => code(`${staff}/workshop/api/act`, sent));
    }
  }
  await tell("board's window", () => opened.document.title);
  await tell("slides as a script", () => new Promise((done, lost) => {
    const load = document.createElement("script");
    Object.assign(load, {onload: () => done(200), onerror: () => lost(new TypeError())});
    load.src = `${staff}/workshop/slides/x.js`;
    document.head.append(load);
  }));
  document.cookie = "ppslab-staff=forged; path=/workshop";
  return asked;
}"""


def test_a_notebook_opened_by_the_instructor_is_nobody_on_the_board(
    room: ClassRoom, opened: Callable[[str], Visit]
) -> None:
    """Without a policy, as JupyterLite's workers have none."""
    prepare(room)
    (room.hall.site.folder / "lite").mkdir()
    put_page(room.hall.site.folder, "lite/index", "default-src * 'unsafe-inline'")
    decks = room.hall.site.folder.parent / "decks"
    decks.mkdir()
    (decks / "x.js").write_text("globalThis.speaker = 'notes';")
    room.hall.slides = Files(decks)
    teacher = opened(room.staff_address)
    join(teacher, room, room.codes["instructor"])
    until(teacher.page, "document.querySelectorAll('tbody tr').length === 3")
    own = {"staff": room.staff_address, "seat": "seat-01"}
    attacked = teacher.page.context.new_page()
    attacked.goto(f"{room.address}/lite/index.html")
    asked = attacked.evaluate(TRIES, own)
    # 0: an answer that no script reads, of a request that did nothing.
    assert set(asked.values()) <= {404, 405, 0, "TypeError", "SecurityError"}, asked
    assert len(asked) == 10
    assert asked["board's window"] in ("SecurityError", "TypeError")
    assert not room.hall.board.messages
    # The same words from the board's own page: the attack is one.
    message = {"do": "message", "text": "from the board", "seats": ["seat-01"]}
    fetched = """async (act) => (await fetch("/workshop/api/act", {method: "POST",
        headers: {"Content-Type": "application/json"}, body: JSON.stringify(act)})).status"""
    assert teacher.page.evaluate(fetched, message) == 200
    assert [one.text for one in room.hall.board.messages] == ["from the board"]


# --- slides --------------------------------------------------------------------------------------

TITLES = "[...document.querySelectorAll('.slides h2')].map(each => each.textContent)"


def deck(name: str) -> tuple[content.Chapter, list[slides.Slide]]:
    return content.chapter(name), slides.of(name)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One deck: Sphinx takes most of the time to begin."""
    output = tmp_path_factory.mktemp("decks") / "slides"
    slides.build([deck("fastpath")], output)
    return output


def shown(browser: Any, address: str) -> Visit:
    made = Visit(browser.new_context(viewport={"width": 1280, "height": 800}).new_page())
    made.listen()
    made.page.goto(address)
    return made


def go_to_the_guesses(page: Any) -> None:
    page.evaluate(f"Reveal.slide({TITLES}.indexOf({slides.GUESSED!r}) + 1)")


def test_a_deck_from_a_folder_asks_nobody_and_says_that_there_is_no_hall(
    built: Path, browser: Any
) -> None:
    seen = shown(browser, (built / "fastpath.html").as_uri())
    go_to_the_guesses(seen.page)
    place = "document.querySelector('section.present .ppslab-hall-slide').textContent"
    until(seen.page, f"{place}.includes('No class is served here')")
    assert seen.wrong == []
    assert all(each.startswith("file:") for each in seen.asked)
    # The figure and its numbers are those of the record, as on the chapter's page.
    assert seen.page.evaluate("document.querySelectorAll('.slides .ppslab-figure svg').length") == 1


@pytest.mark.long
def test_every_slide_of_every_deck_fits(tmp_path: Path, browser: Any) -> None:
    for page in slides.build([deck(name) for name in slides.names()], tmp_path / "slides"):
        assert _too_large(shown(browser, page.as_uri()).page) == [], page.name


@pytest.mark.long
def test_the_slides_of_the_trainers_day_fit_and_need_no_board(tmp_path: Path, browser: Any) -> None:
    decks = download.decks(day.load())
    pages = slides.build(decks, tmp_path / "slides", hall=False)
    for (_, chosen), page in zip(decks, pages, strict=True):
        seen = shown(browser, page.as_uri())
        assert _too_large(seen.page) == [], page.name
        assert seen.page.locator(f".{slides.HALL_CLASS}").count() == 0
        notes = " ".join(seen.page.locator("aside.notes").all_text_contents())
        assert notes.count("The answer:") == sum(slide.guess for slide in chosen)
        assert "board" not in notes.lower()
        assert "ppslab-number" not in notes  # a role that nobody has read


def test_the_trainers_first_page_links_the_site_whose_address_is_written(
    tmp_path: Path, browser: Any
) -> None:
    today = day.load()
    (tmp_path / "index.html").write_text(book.front(today), encoding="utf-8")
    seen = shown(browser, (tmp_path / "index.html").as_uri())
    pages = {page for slot in today.slots if (page := day.place(slot.part))} | {book.ATTENDEES}
    for written, site in (
        ("https://example.org/course/book/teaching.html#mum-day", "https://example.org/course/"),
        ("https://192.0.2.7:8443", "https://192.0.2.7:8443/"),
    ):
        seen.page.fill("#site", written)
        addresses = seen.page.evaluate(
            "[...document.querySelectorAll('[data-page]')].map(each => each.getAttribute('href'))"
        )
        assert {f"{site}{page}" for page in pages} <= set(addresses)
        assert seen.page.text_content("#address") == site
    seen.page.fill("#site", "javascript:alert(1)")
    assert seen.page.locator("[data-page][href]").count() == 0
    assert seen.wrong == []


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
    seen = shown(browser, f"{room.staff_address}/workshop")
    seen.page.fill("#code", room.codes["instructor"])
    seen.page.click("button")
    seen.page.wait_for_url(lambda address: "/join" not in address)
    seen.page.goto(f"{room.staff_address}/workshop/slides/fastpath.html")
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
    assert not [each for each in seen.asked if not each.startswith(room.staff_address)]
