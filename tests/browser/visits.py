"""A page in a browser, and everything that went wrong on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
