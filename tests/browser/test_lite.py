"""JupyterLite, one click from a notebook's page: the whole notebook, on the site's own Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.visits import Visit

pytestmark = pytest.mark.browser

NOTEBOOK = "l3offload"
"""It reads a file of its lab, plans with our own modules, and shows every kind of output."""


def test_every_notebook_leads_to_jupyterlite(site_folder: Path) -> None:
    stored = {path.name for path in (site_folder / "lite/files/notebooks").glob("*.ipynb")}
    found = sorted((site_folder / "notebooks").glob("*.html"))
    assert found
    for page in found:
        name = f"{page.stem}.ipynb"
        address = f'href="../lite/notebooks/index.html?path=notebooks/{name}"'
        assert address in page.read_text(encoding="utf-8"), page
        assert name in stored


def test_its_python_is_the_sites_own(site_folder: Path) -> None:
    settings = json.loads((site_folder / "lite/jupyter-lite.json").read_text(encoding="utf-8"))
    kernel = settings["jupyter-config-data"]["litePluginSettings"][
        "@jupyterlite/pyodide-kernel-extension:kernel"
    ]
    assert kernel["pyodideUrl"] == "./static/pyodide/pyodide.mjs"
    assert kernel["disablePyPIFallback"] is True
    folder = site_folder / "lite/static/pyodide"
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
    assert set(kernel["loadPyodideOptions"]["packages"]) <= set(lock["packages"])
    assert all((folder / each["file_name"]).is_file() for each in lock["packages"].values())


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


def test_a_notebook_runs_from_top_to_bottom(opened: Visit, site: str) -> None:
    page = opened.page
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
    # A notebook draws the cells that are in sight: its own model knows all of them.
    cells = """() => {
      const shell = window.jupyterapp.shell;
      const cells = shell.currentWidget.content.model.sharedModel.cells;
      return [...cells].filter(c => c.cell_type === "code").map(c =>
        [c.execution_count, c.outputs.map(o => o.output_type), JSON.stringify(c.outputs)]);
    }"""
    page.wait_for_function(
        f"() => ({cells})().every(([count]) => count)", timeout=180_000, polling=500
    )
    page.wait_for_function(f"() => ({cells})().at(-1)[1].length > 0")
    told = page.evaluate(cells)
    assert [kinds for _, kinds, _ in told if "error" in kinds] == []
    text = json.dumps(told)
    assert "in hardware" in text, "the lab's own file was read"
    assert "What this run cannot show" in text
    assert opened.wrong == []
    outside = [each for each in opened.asked if not each.startswith((site, "blob:", "data:"))]
    assert outside == []
