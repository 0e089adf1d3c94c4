"""The finding of a check, and the result of all checks of a task, where Python reaches the lab.

What a check comes to is decided by `engine.judging`; here its requests are answered.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from ppslab.course.tasks.engine import judging
from ppslab.course.tasks.engine.judging import MATCH, NOW, WAIT
from ppslab.course.tasks.schema import LinuxCheck, Traffic

State = Literal["pass", "fail"]


@dataclass(frozen=True)
class Sent:
    """Packets that were sent, and how many arrived where they should."""

    packets: int
    arrived: int

    def __str__(self) -> str:
        return f"{self.packets} packets sent, {self.arrived} arrived"


class Sender(Protocol):
    """Sends a task's traffic through the lab."""

    def __call__(self, traffic: Traffic) -> Sent:
        """Send it, and count what arrives."""


@dataclass(frozen=True)
class Finding:
    """A check and its result; `shown`: what was seen, to find out why."""

    says: str
    state: State
    said: str
    shown: str = ""


def findings(
    checks: Sequence[LinuxCheck],
    answers: Mapping[str, Callable[..., Any]],
    *,
    briefly: bool = False,
) -> list[Finding]:
    """The findings of all checks; `briefly`: up to the first that fails, without waiting.

    `answers`: by the kind of a request, beside those that every lab has.
    """
    known: dict[str, Callable[..., Any]] = {**_OF_EVERY_LAB, **answers}
    results = judging.play(
        judging.every(checks, briefly), lambda request: known[request[0]](*request[1:])
    )
    return [Finding(*each) for each in results]


def _matches(expression: str, text: str) -> bool:
    return re.search(expression, text, re.MULTILINE) is not None


_OF_EVERY_LAB: Mapping[str, Callable[..., Any]] = {
    NOW: time.monotonic,
    WAIT: time.sleep,
    MATCH: _matches,
}


def verdict(findings: Sequence[Finding]) -> State:
    """The result of all of them: the worst one."""
    return cast(State, judging.worst([finding.state for finding in findings]))
