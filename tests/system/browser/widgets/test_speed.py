"""How soon a widget is alive on the static page."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.course.models import NAMES
from tests.system.browser import pace, pages
from tests.system.browser.visits import until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timed(why="a reader waits for a widget by the clock"),
]

ALIVE_SECONDS = 1.0
ATTEMPTS = 5

WATCH = """new MutationObserver(() => {
  const found = document.querySelector('.ppslab-widget[data-ready="true"]');
  if (found && !window.ppslabAlive) window.ppslabAlive = performance.now() / 1000;
}).observe(document, {subtree: true, childList: true, attributes: true})"""


@pytest.mark.parametrize("name", [name for name in NAMES if name in pages.with_widgets()])
def test_a_widget_is_alive_within_a_second(browser: Any, site: str, name: str) -> None:
    """From the beginning of the load, nothing cached; of a few, the least disturbed.

    Where the browser computes slower than on the machine of the limit, it has longer by as much.
    """
    seconds, allowed = [], ALIVE_SECONDS
    for _ in range(ATTEMPTS):
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(f"{site}/{pages.with_widgets()[name]}")
        until(page, "window.ppslabAlive")
        seconds.append(page.evaluate("window.ppslabAlive"))
        if seconds[-1] > ALIVE_SECONDS:
            allowed = max(allowed, ALIVE_SECONDS * pace.slower(page))
        context.close()
        if min(seconds) <= allowed:
            break
    print(name, seconds, allowed)
    assert min(seconds) <= allowed
