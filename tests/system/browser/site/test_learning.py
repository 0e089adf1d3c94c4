"""Quizzes, guesses, progress, certificate in a browser: by keyboard, kept, without scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.learning import again, progress_file, quiz
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


def test_several_answers_are_right_together(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{ASKED}")
    name = "what-closes-it"
    form = seen.page.locator(f"#quiz-{name}")
    check = form.get_by_role("button", name="Check")
    check.click()
    assert _shown(form)
    right = quiz.find("fastpath").question(name).right
    for count, letter in enumerate(right, start=1):
        form.locator(f"input[value={letter}]").check()
        check.click()
        wanted = "Right." if count == len(right) else f"Right so far: {count} of {len(right)}."
        assert _shown(form) == wanted


def test_a_question_of_an_earlier_chapter_counts_there_and_begins_empty(
    visit: Any, site: str
) -> None:
    asked = again.of("fasttrack")[0]
    seen = visit(f"{site}/book/fasttrack/index.html")
    form = seen.page.locator(f".ppslab-again #quiz-{asked.name}")
    for letter in asked.question.right:
        form.locator(f"input[value={letter}]").check()
    form.get_by_role("button", name="Check").click()
    assert _shown(form) == "Right."
    done = _kept(seen.page)["done"]
    assert [name for name in done if "/quiz/" in name] == [f"{asked.chapter}/quiz/{asked.name}"]
    seen.page.reload()
    assert form.locator("input:checked").count() == 0
    assert seen.wrong == []


def test_without_scripts_every_answer_is_explained(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{site}/{ASKED}")
        form = page.locator(f"#quiz-{QUESTION}")
        form.locator("summary").click()
        for letter, answer in quiz.find("fastpath").question(QUESTION).answers.items():
            said = form.locator(f"dd[data-answer={letter}]")
            assert said.is_visible()
            assert said.inner_text()[:3] == answer.because[:3]
        page.goto(f"{site}/book/progress.html")
        assert page.locator("#ppslab-all-items tbody tr").count() > 10
    finally:
        context.close()


def test_a_guess_stands_beside_what_came_out(visit: Any, site: str) -> None:
    seen = visit(f"{site}/book/numa/measured.html")
    told = seen.page.locator("[data-guessed='numa/prediction/who-serves']")
    assert told.inner_text() == "see your notes"
    seen.page.goto(f"{site}/book/numa/index.html")
    seen.page.locator(".ppslab-choice", has_text="always CPU 0").click()
    seen.page.goto(f"{site}/book/numa/measured.html")
    assert told.inner_text() == "always CPU 0"
    assert "numa/prediction/who-serves" in _kept(seen.page)["done"]


def test_a_chapter_s_guess_of_cost_is_its_notebook_s(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    field = "input[data-guess=routing-fast-path]"
    form = seen.page.locator("form.ppslab-slide")
    form.get_by_label("Configuration").select_option("routing-fast-path")
    form.get_by_label("Your guess").evaluate(SLIDE, -26)
    form.get_by_role("button", name="Show what was measured").click()
    shown = form.locator(".ppslab-slide-result")
    assert shown.inner_text()
    assert _together(seen.page, form.get_by_label("Your guess"), shown)
    seen.page.goto(f"{site}/book/fastpath/measured.html")
    if seen.page.locator(".guess-routing-fast-path").count():
        assert seen.page.inner_text(".guess-routing-fast-path") == "0.41"
    seen.page.goto(f"{site}/notebooks/fastpath.html")
    assert seen.page.input_value(field) == "0.41"


def _together(page: Any, one: Any, other: Any) -> bool:
    """Whether both are on one screen."""
    tops = [each.bounding_box() for each in (one, other)]
    ends = [box["y"] + box["height"] for box in tops]
    return bool(max(ends) - min(box["y"] for box in tops) < page.viewport_size["height"])


@pytest.mark.parametrize("width", [390, 1280])
def test_a_choice_shows_what_came_out_on_the_same_screen(visit: Any, site: str, width: int) -> None:
    page = visit(f"{site}/book/numa/index.html", width=width).page
    form = page.locator("form[data-prediction=who-serves]")
    said = form.locator("details.ppslab-reveal")
    assert not said.get_attribute("open")
    form.locator(".ppslab-choice").first.click()
    assert said.get_attribute("open") is not None
    assert len(said.inner_text()) > 40
    assert _together(page, form.locator("legend"), said)


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


def test_a_file_that_is_none_changes_nothing(visit: Any, site: str, tmp_path: Path) -> None:
    seen = visit(f"{site}/book/progress.html")
    whole = {"ppslab-progress": 1, "done": {}, "answers": {}, "figures": []}
    spoilt = [{}, {**whole, "done": {"a": 1}}, {**whole, "figures": [{"lab": "x"}]}]
    for place, text in enumerate(["nothing", *map(json.dumps, spoilt)]):
        file = tmp_path / f"other-{place}.json"
        file.write_text(text)
        seen.page.set_input_files("#ppslab-import", file)
        seen.page.get_by_text(f"{file.name} was not read.").wait_for()
    assert seen.page.evaluate("localStorage.getItem('ppslab-progress')") is None
    assert seen.wrong == []


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


def test_a_figure_of_the_page_s_own_router_takes_the_place_of_the_one_before(
    visit: Any, site: str
) -> None:
    seen = visit(f"{site}/book/progress.html")
    kept = """number => ppslab.progress.figure({
        lab: "page-fastpath", title: "counted here", started: new Date().toISOString(),
        provenance: "in this browser", rows: [["now", number]],
    })"""
    for number in ("4070", "5550"):
        seen.page.evaluate(kept, number)
    refused = seen.page.evaluate(
        """() => {
            try { ppslab.progress.figure({lab: 'x'}); } catch (error) { return error.message; }
        }"""
    )
    assert "A figure has a lab" in refused
    seen.page.goto(f"{site}/book/certificate.html")
    text = seen.page.locator(".ppslab-sheet").inner_text()
    assert "counted here" in text and "5550" in text and "4070" not in text
    assert seen.wrong == []


def test_a_term_says_what_it_means_by_keyboard(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    term = seen.page.locator("a.ppslab-term:visible").first
    seen.page.locator("article h1").click()
    for _ in range(60):
        seen.page.keyboard.press("Tab")
        if seen.page.evaluate("document.activeElement.matches('a.ppslab-term')"):
            break
    shown = seen.page.evaluate(
        "getComputedStyle(document.activeElement, '::after').content.slice(1, -1)"
    )
    assert shown == term.get_attribute("title")
    term.click()
    assert "/book/glossary.html#term-" in seen.page.url
