"""Quizzes, guesses, progress, certificate in a browser: by keyboard, kept, without scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ppslab.learning import kept, quiz

CHAPTER = "book/fastpath/index.html"
QUESTION = "what-is-left"
TIME = "2026-01-02T03:04:05+00:00"


def _kept(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('ppslab-progress')"))
    return found


def _shown(form: Any) -> str:
    return str(form.locator("[role=status]").inner_text())


def test_a_quiz_by_keyboard_alone(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    form = seen.page.locator(f"#quiz-{QUESTION}")
    asked = quiz.find("fastpath").question(QUESTION)
    letters, (right,) = list(asked.answers), asked.right
    form.locator("input").first.focus()
    seen.page.keyboard.press("Space")
    seen.page.keyboard.press("Tab")
    seen.page.keyboard.press("Enter")
    assert right != letters[0]
    assert _shown(form) == "Not yet: read why, and choose again."
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
    seen = visit(f"{site}/{CHAPTER}")
    name = "what-closes-it"
    form = seen.page.locator(f"#quiz-{name}")
    check = form.get_by_role("button", name="Check")
    check.click()
    assert _shown(form) == "Choose an answer first."
    right = quiz.find("fastpath").question(name).right
    for count, letter in enumerate(right, start=1):
        form.locator(f"input[value={letter}]").check()
        check.click()
        wanted = "Right." if count == len(right) else f"Right so far: {count} of {len(right)}."
        assert _shown(form) == wanted


def test_without_scripts_every_answer_is_explained(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{site}/{CHAPTER}")
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
    seen = visit(f"{site}/book/numa/index.html")
    told = seen.page.locator("[data-guessed='numa/prediction/who-serves']")
    assert told.inner_text() == "see your notes"
    seen.page.locator(".ppslab-choice", has_text="always CPU 0").click()
    assert told.inner_text() == "always CPU 0"
    seen.page.reload()
    assert told.inner_text() == "always CPU 0"
    assert "numa/prediction/who-serves" in _kept(seen.page)["done"]


def test_a_chapter_s_guess_of_cost_is_its_notebook_s(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    field = "input[data-guess=routing-fast-path]"
    seen.page.fill(field, "0.4")
    if seen.page.locator(".guess-routing-fast-path").count():
        assert seen.page.inner_text(".guess-routing-fast-path") == "0.4"
    seen.page.goto(f"{site}/notebooks/fastpath.html")
    assert seen.page.input_value(field) == "0.4"


def test_progress_goes_out_and_comes_in(visit: Any, site: str, tmp_path: Path) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    seen.page.locator("label.ppslab-read input").check()
    ticked = seen.page.locator(".bd-sidebar-primary a", has_text="(read)")
    assert ticked.all_inner_texts() == ["Fast Path (read)"]
    seen.page.goto(f"{site}/book/progress.html")
    row = seen.page.locator("li[data-chapter=fastpath]")
    assert row.locator(".ppslab-count").inner_text().startswith("1 of ")
    with seen.page.expect_download() as download:
        seen.page.get_by_role("button", name="Export").click()
    file = tmp_path / "mine.json"
    download.value.save_as(file)
    assert list(kept.load(file).done) == ["fastpath/read/index"]
    seen.page.get_by_role("button", name="Forget").click()
    seen.page.get_by_role("button", name="Sure").click()
    assert row.locator(".ppslab-count").inner_text().startswith("0 of ")
    seen.page.set_input_files("#ppslab-import", file)
    seen.page.wait_for_function(
        "document.querySelector('li[data-chapter=fastpath] .ppslab-count').textContent[0] == '1'"
    )
    assert seen.wrong == []


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
    figure = kept.Own(
        lab="fastpath", title="Fast Path: own", started=TIME, provenance="made <b>here</b>",
        rows=(("Fast path", "213 [205, 222] ns"),),
    )  # fmt: skip
    data = {"ppslab-progress": 1, "done": {"fastpath/task/first": TIME, "eoip/read/index": TIME}}
    kept.save(kept.Progress.model_validate({**data, "figures": [figure]}), tmp_path / "own.json")
    seen = visit(f"{site}/book/progress.html")
    seen.page.set_input_files("#ppslab-import", tmp_path / "own.json")
    seen.page.get_by_text("own.json was read.").wait_for()
    seen.page.goto(f"{site}/book/certificate.html")
    seen.page.fill("#ppslab-name", "A. Reader")
    sheet = seen.page.locator(".ppslab-sheet")
    text = sheet.inner_text()
    for said in ("A. Reader", "EoIP", "1 page read", "213 [205, 222] ns", "made <b>here</b>"):
        assert said in text
    seen.page.emulate_media(media="print")
    assert sheet.is_visible()
    assert not seen.page.locator("#ppslab-name").is_visible()
    assert seen.wrong == []


def test_a_term_says_what_it_means_by_keyboard(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{CHAPTER}")
    term = seen.page.locator("a.ppslab-term").first
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
