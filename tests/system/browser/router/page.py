"""The page with the router: its places, opened and pressed, and waited for until it runs."""

from __future__ import annotations

from typing import Any

from tests.system.browser.visits import Visit, until

PAGE = "book/live-router.html"

SECONDS = 180.0
"""A restored router runs in 2 s, on a machine that nobody else uses."""

ROUTER = "document.querySelector('.ppslab-router')"
STATE = f"{ROUTER}.dataset.state"

SCREEN = """(() => {
  const lines = document.querySelector('.ppslab-router').router.terminal.buffer.active;
  return Array.from({length: lines.length}, (_, n) => lines.getLine(n).translateToString(true))
    .join("\\n");
})()"""


def status(page: Any) -> str:
    return str(page.locator(".ppslab-router-status").inner_text())


def press(page: Any, name: str) -> None:
    page.click(f".ppslab-router [data-does={name}]")


def runs(page: Any, seconds: float = SECONDS) -> None:
    """Wait until it runs; it fails with what the page says."""
    until(page, f"{STATE} !== 'loading'", timeout=1000 * seconds)
    assert page.evaluate(STATE) == "running", status(page)


def opened(browser: Any, site: str, before: str = "", page: str = PAGE) -> tuple[Any, Visit]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    made = Visit(context.new_page())
    made.listen()
    if before:
        made.page.add_init_script(before)
    made.open(f"{site}/{page}")
    return context, made
