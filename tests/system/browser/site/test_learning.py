"""Quizzes, guesses, progress, certificate in a browser: by keyboard, kept, without scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.learning import progress_file, quiz
from tests.system.browser.driving import SLIDE
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

CHAPTER = "book/fastpath/index.html"
ASKED = "book/fastpath/tasks.html"
"""The page of that chapter with its quiz."""
QUESTION = "what-is-left"
TIME = "2026-01-02T03:04:05+00:00"


def _kept(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('ppslab-progress')"))
    return found


def _shown(form: Any) -> str:
    return str(form.locator("[role=status]").inner_text())


def test_a_quiz_by_keyboard_alone(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{ASKED}")
    form = seen.page.locator(f"#quiz-{QUESTION}")
    asked = quiz.find("fastpath").question(QUESTION)
    letters, (right,) = list(asked.answers), asked.right
    form.locator("input").first.focus()
    seen.page.keyboard.press("Space")
    seen.page.keyboard.press("Tab")
    seen.page.keyboard.press("Enter")
    assert right != letters[0]
    assert form.locator(".is-wrong .ppslab-because").inner_text().startswith("No. ")
    seen.page.keyboard.press("Shift+Tab")
    for _ in range(letters.index(right)):
        seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    assert _shown(form) == "Right."
    assert form.locator(".is-right .ppslab-because").inner_text().startswith("Yes. ")
    assert f"fastpath/quiz/{QUESTION}" in _kept(seen.page)["done"]
    seen.page.reload()
    assert form.locator(f"input[value={right}]").is_checked()
    assert _shown(form) == "Right."
    assert seen.wrong == []


def test_a_chapter_s_guess_of_cost_is_its_notebook_s(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    field = "input[data-guess=routing-fast-path]"
    form = seen.page.locator("form.ppslab-slide")
    form.get_by_label("Configuration").select_option("routing-fast-path")
    form.get_by_label("Your guess").evaluate(SLIDE, -26)
    form.get_by_role("button", name="Show what was measured").click()
    shown = form.locator(".ppslab-slide-result")
    assert shown.inner_text()
    seen.page.goto(f"{site}/book/fastpath/measured.html")
    seen.page.get_by_text("Your guesses", exact=True).click()
    assert seen.page.inner_text(".guess-routing-fast-path") == "0.41"
    seen.page.goto(f"{site}/notebooks/fastpath.html")
    assert seen.page.input_value(field) == "0.41"


def test_progress_goes_out_and_comes_in(visit: Any, site: str, tmp_path: Path) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    seen.page.locator("label.ppslab-read input").check()
    ticked = seen.page.locator(".bd-sidebar-primary a", has_text="(read)")
    assert ticked.all_inner_texts() == ["Fast Path (read)"]
    seen.page.goto(f"{site}/book/progress.html")
    row = seen.page.locator("li[data-chapter=fastpath]")
    assert re.match(r"1 of \d+, tasks 0 of \d+$", row.locator(".ppslab-count").inner_text())
    with seen.page.expect_download() as download:
        seen.page.get_by_role("button", name="Export").click()
    file = tmp_path / "mine.json"
    download.value.save_as(file)
    assert list(progress_file.load(file).done) == ["fastpath/read/index"]
    seen.page.get_by_role("button", name="Forget").click()
    seen.page.get_by_role("button", name="Sure").click()
    assert row.locator(".ppslab-count").inner_text().startswith("0 of ")
    seen.page.set_input_files("#ppslab-import", file)
    until(
        seen.page,
        "document.querySelector('li[data-chapter=fastpath] .ppslab-count').textContent[0] == '1'",
    )
    assert seen.wrong == []


NOTHING_KEPT = {
    "blocked": """Object.defineProperty(window, "localStorage", {
      get() { throw new DOMException("blocked", "SecurityError"); } });""",
    "full": """Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError"); };""",
}


@pytest.mark.parametrize("how", NOTHING_KEPT)
def test_where_nothing_is_kept_a_page_works_and_says_so(visit: Any, site: str, how: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    older = {"ppslab-progress": 1, "done": {}, "answers": {}, "figures": []}
    seen.page.evaluate("told => localStorage.setItem('ppslab-progress', told)", json.dumps(older))
    seen.page.add_init_script(NOTHING_KEPT[how])
    seen.page.reload()
    seen.page.locator("label.ppslab-read input").check()
    ticked = seen.page.locator(".bd-sidebar-primary a", has_text="(read)")
    assert ticked.all_inner_texts() == ["Fast Path (read)"]
    assert seen.page.locator(".ppslab-unkept").inner_text()
    seen.page.goto(f"{site}/{ASKED}")
    form = seen.page.locator(f"#quiz-{QUESTION}")
    (right,) = quiz.find("fastpath").question(QUESTION).right
    form.locator(f"input[value={right}]").check()
    form.locator("button").first.click()
    assert _shown(form) == "Right."
    # The theme and Sphinx keep the reader's choice of colours and words, and say so on the console.
    ours = [line for line in seen.wrong if "pydata-sphinx-theme.js" not in line]
    assert set(ours) == {f"error: {how}"}


def test_the_certificate_has_the_reader_s_own_figures(
    visit: Any, site: str, tmp_path: Path
) -> None:
    figure = progress_file.Own(
        lab="fastpath", title="Fast Path: own", started=TIME, provenance="made <b>here</b>",
        rows=(("Fast path", "213 [205, 222] ns"),),
    )  # fmt: skip
    data = {"ppslab-progress": 1, "done": {"fastpath/task/first": TIME, "eoip/read/index": TIME}}
    progress_file.save(
        progress_file.Progress.model_validate({**data, "figures": [figure]}), tmp_path / "own.json"
    )
    seen = visit(f"{site}/book/progress.html")
    seen.page.set_input_files("#ppslab-import", tmp_path / "own.json")
    seen.page.get_by_text("own.json was read.").wait_for()
    seen.page.goto(f"{site}/book/certificate.html")
    seen.page.fill("#ppslab-name", "A. Reader")
    sheet = seen.page.locator(".ppslab-sheet")
    text = sheet.inner_text()
    for said in ("A. Reader", "EoIP", "1 page read", "213 [205, 222] ns", "made <b>here</b>"):
        assert said in text
    assert "On 2 January 2026" in text, "all of it on one day"
    seen.page.emulate_media(media="print")
    assert sheet.is_visible()
    assert not seen.page.locator("#ppslab-name").is_visible()
    assert seen.wrong == []
