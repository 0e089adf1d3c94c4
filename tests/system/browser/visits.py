"""A page in a browser, and everything that went wrong on it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from tests.support.waiting import PATIENCE

ABORTED = "net::ERR_ABORTED"
"""Chromium's word for a request that its page gave up, as every page does when it is left."""

COVERED = """() => {
  // What is folded has the boxes of an old layout.
  const visible = selector => [...document.querySelectorAll(selector)]
    .filter(one => one.checkVisibility());
  const buttons = visible("main :is(.copybtn, .ppslab-copy)")
    .map(button => button.getBoundingClientRect());
  const inside = pre => {
    const {left, top} = pre.getBoundingClientRect();
    return new DOMRect(
      left + pre.clientLeft, top + pre.clientTop, pre.clientWidth, pre.clientHeight);
  };
  const meet = (one, other) => one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom;
  return visible("main pre")
    .filter(pre => buttons.some(button => meet(button, inside(pre))))
    .map(pre => pre.textContent);
}"""
"""Blocks whose text a button that copies lies on, wherever the block is scrolled to."""


@dataclass
class Visit:
    """A page in a browser, with everything that went wrong on it."""

    page: Any
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    awaited: list[Any] = field(default_factory=list)
    """Requests without an answer so far."""

    def listen(self) -> None:
        self.page.on("request", self._asks)
        self.page.on("requestfinished", self._has)
        self.page.on("requestfailed", self._fails)
        self.page.on("framenavigated", self._elsewhere)
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

    def open(self, address: str) -> None:
        """Go to an address, and wait until the page has all that it asks for."""
        self.page.goto(address)
        self.settle()

    def settle(self) -> None:
        """Wait until the page is loaded, and for half a second nothing was awaited.

        Playwright's own `networkidle` does not say what it waits for.
        """
        self.page.wait_for_load_state("load")
        end, quiet = time.monotonic() + PATIENCE, 0
        while quiet < 10:
            quiet = 0 if self.awaited else quiet + 1
            assert time.monotonic() < end, f"no answer: {[r.url for r in self.awaited]}"
            self.page.wait_for_timeout(50)

    def _asks(self, request: Any) -> None:
        self.asked.append(request.url)
        self.awaited.append(request)

    def _has(self, request: Any) -> None:
        if request in self.awaited:
            self.awaited.remove(request)

    def _fails(self, request: Any) -> None:
        """A question that its page left unanswered when it was left is no fault: pages poll."""
        left = request not in self.awaited or any(
            each.is_navigation_request() for each in self.awaited if each is not request
        )
        self._has(request)
        if not (left and request.failure == ABORTED):
            self.wrong.append(f"failed: {request.url}: {request.failure}")

    def _elsewhere(self, frame: Any) -> None:
        """What another page had asked for is awaited no more; this one's document still comes."""
        documents = [each for each in self.awaited if each.is_navigation_request()]
        if frame == self.page.main_frame and documents:
            self.awaited[:] = documents


def until(page: Any, expression: str, arg: Any = None, timeout: float = 1000 * PATIENCE) -> None:
    """Wait until an expression is true in the page; `timeout` in milliseconds.

    Playwright's own wait_for_function evaluates text inside the page, which its policy refuses.
    """
    end = time.monotonic() + timeout / 1000
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, f"not within {timeout / 1000:g} s: {expression}"
        page.wait_for_timeout(50)
