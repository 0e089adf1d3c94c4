"""Python in a page is begun, by its button, and waited for."""

from __future__ import annotations

from typing import Any

from tests.system.browser.visits import until

START = ".ppslab-live-start"
ON = "document.documentElement.dataset.live === 'ready'"


def began(page: Any) -> None:
    """Press the button, and wait until every cell has run."""
    page.click(START)
    until(page, ON)
