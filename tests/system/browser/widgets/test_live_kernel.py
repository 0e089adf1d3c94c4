"""A widget under a live kernel, in JupyterLab, answers as on the static page: as its model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from ppslab.course.models import WIDGETS, model
from ppslab.course.widgets import facts
from ppslab.course.widgets.live import parts
from tests.support.waiting import PATIENCE
from tests.system.browser import driving
from tests.system.browser.network import Network
from tests.system.browser.visits import Visit

pytestmark = pytest.mark.browser

PORT = 8899
"""Of a network of its own, in which nothing else listens."""

OWN = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
"""Folders of the test's own, so that no setting of whoever runs it counts."""

SETTINGS = {
    # A notebook draws the cells that are in sight; here all are asked for.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}


NAME = "nanoseconds"
CODE = f"from ppslab.course.widgets import widget\n\nwidget({NAME!r})"


@pytest.fixture(scope="module")
def jupyter(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab's address."""
    folder = tmp_path_factory.mktemp("jupyter")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "widgets.ipynb")
    (folder / "settings").mkdir()
    (folder / "settings/overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    own = {name: str(folder / name) for name in OWN}
    program = str(Path(sys.executable).with_name("jupyter-lab"))
    server = subprocess.Popen(
        network.argv(
            program, "--no-browser", "--allow-root", f"--port={PORT}", "--ip=127.0.0.1",
            "--IdentityProvider.token=", f"--notebook-dir={folder}",
            f"--LabApp.app_settings_dir={folder / 'settings'}",
            f"--LabApp.user_settings_dir={folder / 'user'}",
            f"--LabApp.workspaces_dir={folder / 'workspaces'}",
        ),
        env={**os.environ, **own}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stderr
    said = []
    for line in server.stderr:
        said.append(line)
        if f"http://127.0.0.1:{PORT}/" in line:
            break
    else:
        raise AssertionError("".join(said))
    log = (folder / "log").open("w")
    reader = subprocess.Popen(["cat"], stdin=server.stderr, stdout=log)
    try:
        yield f"http://127.0.0.1:{PORT}"
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)
        reader.wait(timeout=PATIENCE)
        log.close()


@pytest.fixture(scope="module")
def opened(browser: Any, jupyter: str) -> Iterator[Visit]:
    """The notebook, all of whose cells have been run."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    seen = Visit(context.new_page())
    seen.page.on("pageerror", lambda error: seen.wrong.append(str(error)))
    seen.page.on("request", lambda request: seen.asked.append(request.url))
    seen.page.goto(f"{jupyter}/lab/tree/widgets.ipynb?reset")
    seen.page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    # Asked to run before it has a kernel, JupyterLab asks back which one.
    seen.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    seen.page.locator(".lm-MenuBar-item >> text=Run").click()
    seen.page.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click()
    yield seen
    context.close()


def test_a_widget_answers_as_its_model_does(opened: Visit, jupyter: str) -> None:
    _, controls, known = parts(NAME, {})
    root = driving.widget(opened.page, NAME)
    assert root.get_attribute("data-source") == "kernel"
    driving.drive(
        opened.page, root, model(NAME).answer, controls, driving.beginning(controls), known
    )
    assert opened.wrong == []
    assert all(url.startswith((f"{jupyter}/", "data:", "blob:")) for url in opened.asked)


def test_the_facts_of_a_widget_are_small() -> None:
    """They are in every page that has the widget."""
    for name in WIDGETS:
        assert len(json.dumps(facts.of(name))) < 170_000, name
