"""A page in a browser, and everything that went wrong on it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from tests.waiting import PATIENCE


@dataclass
class Visit:
    """A page in a browser, with everything that went wrong on it."""

    page: Any
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", lambda r: self.wrong.append(f"failed: {r.url}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on(
            "response",
            lambda r: self.wrong.append(f"{r.status}: {r.url}") if r.status >= 400 else None,
        )
        self.page.on(
            "console",
            lambda said: (
                self.wrong.append(f"console: {said.text} ({said.location.get('url')})")
                if said.type in ("error", "warning")
                else None
            ),
        )


def until(page: Any, expression: str, arg: Any = None, timeout: float = 1000 * PATIENCE) -> None:
    """Wait until an expression is true in the page; `timeout` in milliseconds.

    Playwright's own wait_for_function evaluates text inside the page, which its policy refuses.
    """
    end = time.monotonic() + timeout / 1000
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, f"not within {timeout / 1000:g} s: {expression}"
        page.wait_for_timeout(50)
