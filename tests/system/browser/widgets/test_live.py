"""Python in the page: what it takes, how it begins, and widgets that it answers."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.models import model
from ppslab.course.widgets import controls, facts
from tests.system.browser import driving
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

MOST_BYTES = 12_000_000
START = ".ppslab-live-start"
WIDGET = '.ppslab-live-output .ppslab-widget[data-source="kernel"]'


def test_what_it_takes_is_said_and_under_12_mb(site_folder: Path) -> None:
    """Of what a server sends compressed; the page's own scripts for it are in it."""
    text = (site_folder / "notebooks/fastpath.html").read_text(encoding="utf-8")
    (told,) = re.findall(r'data-python="([^"]*)"', text)
    said = json.loads(html.unescape(told))
    folder = site_folder / "lite/static/pyodide"
    assert {name: (folder / name).stat().st_size for name in said["files"]} == said["files"]
    assert 8e6 < said["bytes"] <= MOST_BYTES


def began(page: Any) -> None:
    """Press the button, and wait until every cell has run."""
    page.click(START)
    until(page, "document.documentElement.dataset.live === 'ready'")


def test_a_widgets_python_answers_in_the_page(visit: Any, site: str) -> None:
    name, address = next(iter(driving.with_widgets().items()))
    seen = visit(f"{site}/{address}")
    began(seen.page)
    widget = seen.page.locator(WIDGET).first
    number = widget.locator("input[type=range]").first
    control = number.get_attribute("name")
    before = int(widget.get_attribute("data-answered"))
    number.focus()
    seen.page.keyboard.press("ArrowRight")
    until(
        seen.page,
        "([selector, before]) => +document.querySelector(selector).dataset.answered > before",
        arg=[WIDGET, before],
    )
    told = json.loads(widget.locator(".ppslab-answer").get_attribute("data-values"))
    run_in = "div.cell, .ppslab-cell"
    code = seen.page.locator(run_in).first.locator(".ppslab-live-code").input_value()
    assert name in code
    value = float(number.input_value())
    begun = controls.beginning(controls.of(name, facts.of(name)))
    inputs = {**begun, **_options(code), control: value}
    assert told == json.loads(json.dumps(model(name).answer(inputs, facts.of(name))["values"]))
    assert seen.wrong == []
    assert all(asked.startswith((site, "blob:", "data:")) for asked in seen.asked)


def _options(code: str) -> dict[str, Any]:
    """The inputs that the page's own call of `widget` names."""
    named: dict[str, Any] = {}
    exec(
        code.replace("from ppslab.course.widgets import widget", ""),
        {"widget": lambda name, **inputs: named.update(inputs)},
    )
    return named
