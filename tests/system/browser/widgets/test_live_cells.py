"""A notebook's cells in the page: edited, run, waited for, stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.system.browser.visits import Visit, until
from tests.system.browser.widgets.test_live import START, began

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def notebook(browser: Any, site: str) -> Iterator[Visit]:
    """The page of a notebook with Python on, and what its cells showed before, by their index."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    made = Visit(context.new_page())
    made.listen()
    made.page.goto(f"{site}/notebooks/fastpath.html")
    made.page.evaluate(f"window.before = {SHOWN}")
    began(made.page)
    yield made
    context.close()


# Without the run's provenance: a page shows it once, for all of its cells.
SHOWN = """[...document.querySelectorAll("div.cell")].map(cell =>
  [...cell.querySelectorAll("table, figcaption, .output pre")].map(one => {
    const copy = one.cloneNode(true);
    copy.querySelectorAll(".ppslab-made, .ppslab-made-at").forEach(sign => sign.remove());
    return copy.textContent.replace(/\\s+/g, "");
  }))"""


def run(page: Any, code: str, index: int = 0) -> Any:
    """Put code into a cell and run it; the cell."""
    cell = page.locator("div.cell").nth(index)
    ran = int(cell.get_attribute("data-ran") or 0)
    cell.locator(".ppslab-live-code").fill(code)
    cell.locator(".ppslab-live-run").click()
    until(
        page,
        "([index, ran]) => document.querySelectorAll('div.cell')[index].dataset.ran === ran",
        arg=[index, str(ran + 1)],
    )
    return cell


def test_a_notebooks_cells_say_what_the_page_said(notebook: Visit) -> None:
    before, after = notebook.page.evaluate(f"[window.before, {SHOWN}]")
    assert notebook.page.locator(".ppslab-live-error").count() == 0
    # A form becomes fields with Python behind them, a list of figures stays one.
    same = [index for index, told in enumerate(before) if told]
    assert len(same) >= 10
    for index in same:
        assert after[index] == before[index], index


def test_a_cell_is_edited_and_run_with_the_keyboard(notebook: Visit) -> None:
    cell = notebook.page.locator("div.cell").first
    ran = int(cell.get_attribute("data-ran"))
    code = cell.locator(".ppslab-live-code")
    code.fill("print('now'); 6 * 7")
    code.press("Shift+Enter")
    notebook.page.wait_for_selector(f'div.cell[data-ran="{ran + 1}"]')
    assert cell.locator(".ppslab-live-output pre").all_inner_texts() == ["now\n", "42"]


def test_a_mistake_is_told_in_words(notebook: Visit) -> None:
    cell = run(notebook.page, 'import ppslab; ppslab.open("fastpth")')
    said = cell.locator(".ppslab-live-error").inner_text()
    assert 'did you mean "fastpath"' in said
    assert "Traceback" not in said
    cell = run(notebook.page, "1 / 0")
    assert "ZeroDivisionError" in cell.locator(".ppslab-live-error").inner_text()
    cell = run(notebook.page, "import numpy")
    assert "No module named 'numpy'" in cell.locator(".ppslab-live-error").inner_text()


def test_what_never_ends_is_stopped_and_python_begins_again(notebook: Visit) -> None:
    """The last of this page. The loop stays where it was typed, and must not run by itself."""
    page = notebook.page
    cell = page.locator("div.cell").first
    cell.locator(".ppslab-live-code").fill("while True:\n    pass")
    cell.locator(".ppslab-live-run").click()
    page.wait_for_selector('div.cell[data-running="true"]')
    page.click(".ppslab-live-stop")
    assert "stopped" in page.inner_text(".ppslab-live-status")
    assert re.fullmatch(r"Run Python in this page \(\d+ MB\)", page.inner_text(START))
    assert page.locator("div.cell .ppslab-live-run").first.is_disabled()
    began(page)
    assert page.locator('div.cell[data-running="true"]').count() == 0
    assert "begun again" in run(page, "import ppslab; 'begun ' + 'again'", 1).inner_text()
    assert cell.locator(".ppslab-live-code").input_value().startswith("while True")
    cell.locator(".ppslab-live-code").fill("'all ' + 'of them'")
    page.click(".ppslab-live-all")
    first = "document.querySelector('div.cell .ppslab-live-output').textContent"
    until(page, f"{first}.includes('all of them')")
    assert notebook.wrong == []
