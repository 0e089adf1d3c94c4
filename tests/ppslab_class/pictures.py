"""Pictures of a workshop, to be looked at: board, projector, slides, a seat, cards, a handout.

python -m tests.ppslab_class.pictures SITE OUT [SEATS]   SITE: _build/html

The learners are those of benchmarks/rehearsal.py: they join a real server, and stop in the
middle of the second chapter.  No picture belongs into the repository.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import httpx

from benchmarks.rehearsal import Learner, Lesson, Log, ServerProcess
from benchmarks.rehearsal import lessons as lessons_of
from ppslab.show import paper
from ppslab_class import cards, content
from ppslab_class.board.board import STAFF, Board, now
from ppslab_class.planning import chapters as all_chapters
from ppslab_class.planning import sheets
from ppslab_class.server import certificate
from ppslab_class.slides import building, decks
from tests.support.waiting import PATIENCE
from tests.system.browser.conftest import chromium
from tests.system.browser.visits import Visit, until

CHAPTERS: Final = ("fastpath", "fasttrack")
SIZES: Final = ((1280, 800), (390, 844))
DONE: Final = 0.6
"""The share of all tasks that are done when the learners stop."""

PACE: Final = 0.5


class Camera:
    """Takes pictures of pages, each at every size."""

    def __init__(self, browser: Any, address: str, out: Path) -> None:
        self.browser = browser
        self.address = address
        self.out = out

    @contextmanager
    def joined(self, code: str, page: str = "/workshop") -> Iterator[Visit]:
        """A browser that has typed this code, at a page."""
        context = self.browser.new_context(viewport={"width": SIZES[0][0], "height": SIZES[0][1]})
        visit = Visit(context.new_page())
        visit.listen()
        visit.page.goto(f"{self.address}/workshop")
        visit.page.fill("#code", code)
        visit.page.click("button")
        visit.page.wait_for_url(lambda address: "/join" not in address)
        if page != "/workshop":
            visit.page.goto(f"{self.address}{page}")
        yield visit
        # A page that is left for another takes back what it has asked for.
        wrong = [each for each in visit.wrong if not each.startswith("failed: ")]
        assert not wrong, wrong
        context.close()

    def act(self, teacher: Visit, what: dict[str, Any]) -> None:
        """Do to the class what the board's buttons do."""
        done = teacher.page.request.post(f"{self.address}/workshop/api/act", data=what)
        assert done.ok, done.text()

    def take(self, page: Any, name: str, whole: bool = False) -> None:
        """OUT/NAME-WIDTH.png; `whole`: down to the end of the page."""
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name} is {wide} px wider than {width} px"
            self.out.mkdir(parents=True, exist_ok=True)
            file = self.out / f"{name}-{width}.png"
            page.screenshot(path=file, full_page=whole, animations="disabled")
        page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})


def main(site: Path, out: Path, seats: int = 30) -> None:
    """Take all of them."""
    lessons = lessons_of(content.load(), CHAPTERS, site)
    with tempfile.TemporaryDirectory(prefix="ppslab-pictures-") as name:
        folder = Path(name)
        building.build(CHAPTERS, folder / "slides")
        day = folder / "day"
        day.mkdir()
        board = Board(day)
        codes = board.set_up(seats, "Packets per second", now() + timedelta(hours=6))
        board.close()
        on_paper(day, codes, out)
        words = ("--seats", str(seats), "--slides", str(folder / "slides"))
        server = ServerProcess(day, site, words=words)
        server.start()
        try:
            address = f"http://127.0.0.1:{server.port}"
            asyncio.run(learn(address, codes, lessons))
            with chromium() as browser:
                of_the_hall(Camera(browser, address, out), codes, lessons[0])
        finally:
            server.stop()


def on_paper(day: Path, codes: dict[str, str], out: Path) -> None:
    """Cards as `start` prints them, and handouts as `plan` does."""
    shown = certificate.fingerprint(certificate.made(day, ["192.0.2.7"])[0])
    at_seats = {seat: code for seat, code in codes.items() if seat not in STAFF}
    hall = cards.Hall("Packets per second", "https://192.0.2.7:8443", shown, "hall / packets")
    on_server = cards.Hall(
        hall.title, hall.address, hall.fingerprint, hall.wifi, "https://192.0.2.7:8000"
    )
    chapters = [all_chapters.load(name) for name in CHAPTERS]
    pages = {
        "cards": cards.pdf(hall, at_seats),
        "cards-of-kind-server": cards.pdf(on_server, at_seats),
        "handouts": paper.pdf(sheets.handouts(chapters)),
        "exit-ticket": paper.pdf(sheets.exit_ticket(chapters)),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, made in pages.items():
        (out / f"{name}.pdf").write_bytes(made)
        draw = ["pdftoppm", "-r", "90", "-png", str(out / f"{name}.pdf"), str(out / name)]
        subprocess.run(draw, check=True)


async def learn(address: str, codes: dict[str, str], lessons: Sequence[Lesson]) -> None:
    """A class that stops when a share of its tasks is done."""
    wanted = DONE * (len(codes) - len(STAFF)) * sum(len(each.tasks) for each in lessons)
    log, learners, clients = Log(), [], []
    for number, (seat, code) in enumerate(codes.items()):
        if seat not in STAFF:
            clients.append(httpx.AsyncClient(base_url=address, timeout=PATIENCE))
            learners.append(Learner(seat, code, clients[-1], log, number))
    right = asyncio.Event()
    right.set()
    learning = asyncio.gather(*(each.attend(lessons, PACE, right) for each in learners))
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as teacher:
        await teacher.post("/workshop/api/join", json={"code": codes["instructor"]})
        while not learning.done():
            told = (await teacher.get("/workshop/api/class")).raise_for_status().json()
            tasks = [task for seat in told["seats"] for task in seat["tasks"].values()]
            if sum(bool(task["done"]) for task in tasks) >= wanted:
                break
            await asyncio.sleep(0.1)
    learning.cancel()
    await asyncio.gather(learning, return_exceptions=True)
    for client in clients:
        await client.aclose()


def of_the_hall(camera: Camera, codes: dict[str, str], lesson: Lesson) -> None:
    """Board, projector, slides and a seat, while the class is in its work."""
    tasks = lesson.pages[-1]
    with camera.joined(codes["instructor"]) as teacher, camera.joined(codes["projector"]) as wall:
        until(teacher.page, "document.querySelectorAll('tbody tr').length > 2")
        camera.take(wall.page, "projector-join")
        camera.act(teacher, {"do": "stage", "page": tasks})
        camera.act(teacher, {"do": "message", "text": "Look at the counters first.", "link": tasks})
        camera.act(teacher, {"do": "show", "what": lesson.question, "phase": "before"})
        teacher.page.reload()
        until(teacher.page, "document.querySelectorAll('tbody tr').length > 2")
        camera.take(teacher.page, "board")
        camera.take(teacher.page, "board-whole", whole=True)
        until(wall.page, "document.querySelectorAll('.bars li').length > 1")
        camera.take(wall.page, "projector-guesses")
        slides(camera, wall)
        camera.act(teacher, {"do": "show", "what": lesson.question, "phase": "after"})
        wall.page.goto(f"{camera.address}/workshop/pages/projector")
        until(wall.page, "document.querySelectorAll('.figures li').length > 0")
        camera.take(wall.page, "projector-measured")
        with camera.joined(codes["seat-07"], tasks) as seat:
            until(seat.page, "document.querySelectorAll('.ppslab-hall li').length > 0")
            camera.take(seat.page, "seat-page")
            seat.page.click(".ppslab-hall summary")
            camera.take(seat.page, "seat")


def slides(camera: Camera, visit: Visit) -> None:
    """Every slide of a deck, as the hall sees it."""
    page = visit.page
    page.set_viewport_size({"width": SIZES[0][0], "height": 720})
    page.goto(f"{camera.address}/slides/{decks.file(CHAPTERS[0])}.html")
    until(page, "Boolean(globalThis.Reveal?.isReady())")
    number = page.evaluate("Reveal.getTotalSlides()")
    for slide in range(number):
        if page.evaluate("Boolean(document.querySelector('section.present [data-chapter]'))"):
            until(page, "Boolean(document.querySelector('section.present .bars'))")
        page.screenshot(path=camera.out / f"slide-{slide + 1:02d}.png")
        page.evaluate("Reveal.next()")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]), *map(int, sys.argv[3:]))
