"""A learner, an instructor and a projector in Chromium; the server goes, and comes back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.ppslab_class.class_room import (
    POLICY,
    QUESTION,
    QUIZ,
    TASK,
    ClassRoom,
    batch,
    event,
    served,
)
from tests.ppslab_class.pages.classmates import api, join
from tests.system.browser.conftest import ROOT
from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

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
        teacher, projector = opened(room.address), opened(room.address)
        join(teacher, room, room.codes["instructor"])
        join(projector, room, room.codes["projector"])
        tell_and_hear(learner, teacher)
        show_to_all(learner, teacher, projector)
        for visit in (teacher, projector):
            assert visit.wrong == []
            assert not [each for each in visit.asked if not each.startswith(room.address)]

        hall.close()
        work_without_a_server(learner)

        port = int(room.address.rsplit(":", 1)[1])
        again = hall.enter_context(served(tmp_path, port=port))
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


def fits_a_phone(teacher: Visit) -> None:
    """Only the table scrolls sideways, and the seat of each row stays in sight."""
    teacher.page.set_viewport_size({"width": 390, "height": 844})
    teacher.page.evaluate("""document.querySelector('#question').append(
        new Option('Fast Path: a question that is as long as the longest one '.repeat(3)))""")
    assert teacher.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    scrolled = """(() => { const table = document.querySelector('.table');
        table.scrollLeft = 10000; return table.scrollLeft; })()"""
    assert teacher.page.evaluate(scrolled) > 0
    seat = "document.querySelector('tbody th').getBoundingClientRect().left"
    assert teacher.page.evaluate(seat) >= 0


def test_who_has_joined_is_told_so_and_can_go_on_or_leave(
    room: ClassRoom, opened: Callable[[str], Visit]
) -> None:
    prepare(room)
    learner, teacher = opened(room.address), opened(room.address)
    join(learner, room, room.codes["seat-02"])
    join(teacher, room, room.codes["instructor"])
    for visit, said in ((learner, "as seat 02"), (teacher, "as the instructor")):
        visit.page.goto(f"{room.address}/workshop")
        until(visit.page, "document.querySelector('h1').textContent === 'You are in'")
        assert said in (visit.page.text_content("#who") or "")
        assert not visit.page.is_visible("#code"), "no code is asked for again"
        # Of a learner's seat the instructor sees something, of the instructor's own nothing.
        seen = visit.page.is_visible("text=What the instructor sees")
        assert seen == visit.page.is_visible("text=stays in this browser") == (visit is learner)
        visit.page.set_viewport_size({"width": 390, "height": 844})
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    teacher.page.click("#on")
    teacher.page.wait_for_url(lambda address: address.endswith("/workshop/pages/board"))
    learner.page.click("#leave")
    until(learner.page, "document.activeElement.id === 'code'")
    assert learner.page.evaluate("localStorage.getItem('ppslab-workshop')") is None
    assert learner.page.is_visible("text=What the instructor sees")
    assert room.client().get("/workshop/api/join").json() == {"seat": None}
    join(learner, room, room.codes["seat-01"])
    kept = "JSON.parse(localStorage.getItem('ppslab-workshop')).seat"
    assert learner.page.evaluate(kept) == "seat-01"
    assert learner.wrong == teacher.wrong == []


def test_the_boards_lists_follow_the_class_until_the_instructor_chooses(
    room: ClassRoom, opened: Callable[[str], Visit]
) -> None:
    prepare(room)
    teacher, learner = opened(room.address), room.client("seat-01")
    join(teacher, room, room.codes["instructor"])
    chapter = "document.querySelector('#chapter').value"
    until(teacher.page, f"{chapter} === 'fastpath'")
    told = batch(event("there", "at", "book/eoip/index"))
    learner.post("/workshop/api/events", json=told).raise_for_status()
    until(teacher.page, f"{chapter} === 'eoip'")
    teacher.page.fill("#page", "/book/fastpath/tasks.html")
    teacher.page.click("#stage button")
    until(teacher.page, f"{chapter} === 'fastpath'")
    assert teacher.page.evaluate("document.querySelector('#question').value") == QUESTION
    teacher.page.select_option("#chapter", "eoip")
    teacher.page.fill("#page", "/book/fastpath/index.html")
    with teacher.page.expect_response(lambda answer: answer.url.endswith("/api/class")):
        teacher.page.click("#stage button")
    assert teacher.page.evaluate(chapter) == "eoip", "the instructor has chosen it"
    assert teacher.wrong == []


def test_an_exit_ticket_goes_out_and_comes_back(
    room: ClassRoom, opened: Callable[[str], Visit]
) -> None:
    prepare(room)
    learner, teacher = opened(room.address), opened(room.address)
    join(learner, room, room.codes["seat-02"])
    join(teacher, room, room.codes["instructor"])
    learner.page.goto(f"{room.address}/workshop/pages/ticket")
    until(learner.page, "document.querySelector('#line').textContent.includes('No ticket')")
    until(teacher.page, "document.querySelectorAll('#quizzes input').length === 1")
    teacher.page.click("#ticket button[value=out]")
    complaint = "document.querySelector('.error').textContent"
    until(teacher.page, f"{complaint}.includes('Tick at least one chapter')")
    assert teacher.page.text_content("#quizzes") == " Fast Path", "a chapter's title, not its name"
    fits_a_phone(teacher)
    teacher.page.check("#quizzes input")
    teacher.page.click("#ticket button[value=out]")
    until(
        learner.page, "!document.querySelector('.ppslab-hall a[href$=ticket]').closest('p').hidden"
    )
    learner.page.reload()
    until(learner.page, "!document.querySelector('form').hidden")
    for letter in ("a", "c"):
        learner.page.check(f"fieldset[name='{QUIZ}'] input[value={letter}]")
    learner.page.fill("#free", "What of <i>bridges</i>?")
    learner.page.click("text=Send it")
    until(teacher.page, "document.querySelector('#answers').textContent.includes('1 of 1 right')")
    shown = teacher.page.text_content("#answers")
    assert "1: A rule" in shown and "0: A route" in shown and "What of <i>bridges</i>?" in shown
    assert "seat" not in shown
    for visit in (learner, teacher):
        assert visit.wrong == []
