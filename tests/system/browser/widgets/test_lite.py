"""JupyterLite, one click from a notebook's page: the whole notebook, on the site's own Python."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

NOTEBOOK = "l3offload"
"""It reads a file of its lab, plans with our own modules, and shows every kind of output."""


@pytest.fixture
def opened(browser: Any, site: str, request: pytest.FixtureRequest) -> Visit:
    """The notebook in JupyterLite, reached from its page."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    request.addfinalizer(context.close)
    page = context.new_page()
    page.goto(f"{site}/notebooks/{NOTEBOOK}.html")
    with context.expect_page() as lite:
        page.get_by_role("link", name="Open the whole notebook in JupyterLite").click()
    made = Visit(lite.value)
    context.on("request", lambda request: made.asked.append(request.url))
    context.on(
        "response", lambda r: made.wrong.append(f"{r.status}: {r.url}") if r.status >= 400 else None
    )
    return made


NOTEBOOK_SHOWN = "window.jupyterapp.shell.currentWidget"
KERNEL = f"""(() => {{
  const context = {NOTEBOOK_SHOWN}.sessionContext;
  return context.session?.kernel ? context.kernelDisplayStatus : null;
}})()"""
"""The state of the kernel; null: there is none yet."""

CELLS = f"""[...{NOTEBOOK_SHOWN}.content.model.sharedModel.cells]
  .filter(cell => cell.cell_type === "code")
  .map(cell => [cell.execution_count, cell.outputs.map(each => each.output_type),
                JSON.stringify(cell.outputs)])"""
"""Of each: its number, and its outputs.  A notebook draws only the cells that are in sight."""

RUN_SECONDS = 180


def choose(page: Any, menu: str, entry: str) -> None:
    """Click an entry of a menu."""
    page.get_by_role("menuitem", name=menu, exact=True).click()
    page.locator(".lm-Menu-itemLabel", has_text=entry).first.click()


def test_a_notebook_runs_from_top_to_bottom(opened: Visit, site: str) -> None:
    page = opened.page
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    # JupyterLab drops a cell that is run before the notebook has a kernel, without a word.  From
    # then on cells wait for Python, which takes its time to load.
    until(page, KERNEL)
    # It comes with the numbers and outputs of the build.
    choose(page, "Edit", "Clear Outputs of All Cells")
    until(page, f"{CELLS}.every(([number, kinds]) => !number && !kinds.length)")
    choose(page, "Run", "Run All Cells")
    try:
        until(page, f"{CELLS}.every(([number]) => number)", timeout=1000 * RUN_SECONDS)
    except AssertionError as error:
        numbers = [number for number, *_ in page.evaluate(CELLS)]
        said = f"kernel: {page.evaluate(KERNEL)}, cells: {numbers}, {opened.wrong}"
        raise AssertionError(said) from error
    until(page, f"{CELLS}.at(-1)[1].length > 0")
    # What the way there tells a reader to wait for.
    page.locator(".jp-KernelStatus-success").wait_for()
    told = page.evaluate(CELLS)
    assert [kinds for _, kinds, _ in told if "error" in kinds] == []
    text = json.dumps(told)
    assert "in hardware" in text, "the lab's own file was read"
    assert opened.wrong == []
    outside = [each for each in opened.asked if not each.startswith((site, "blob:", "data:"))]
    assert outside == []
