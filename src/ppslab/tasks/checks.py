"""What a check finds, and what all the checks of a task come to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from ppslab.tasks.words import Said, Share, Traffic

State = Literal["pass", "fail", "warn"]

Check = TypeVar("Check", bound=Said)

MOST, LEAST = 0.95, 0.05
"""Of the packets that were sent: from here on `all`; up to here `none`."""

NEARLY, AGAIN = 0.5, 2
"""Where so much of `all` came, it is sent again, so often at most: another program had the CPU."""

PAUSE = 0.5
"""Seconds until what may come true is looked at again."""

SHOWN = 240
"""Letters of what a check found that a learner is shown."""


@dataclass(frozen=True)
class Sent:
    """Packets that were sent, and how many of them arrived where they should."""

    packets: int
    arrived: int

    def __str__(self) -> str:
        return f"{self.packets} packets sent, {self.arrived} arrived"


class Sender(Protocol):
    """Sends a task's traffic through the lab."""

    def __call__(self, traffic: Traffic) -> Sent:
        """Send it, and count what arrives."""


@dataclass(frozen=True)
class Seen:
    """What one look at the lab showed: whether it is as wanted, and what was seen."""

    good: bool
    shown: str = ""


@dataclass(frozen=True)
class Finding:
    """A check and how it ended; `shown`: what was seen, for who has to find out why."""

    says: str
    state: State
    said: str
    shown: str = ""


def every(
    checks: Sequence[Check], one: Callable[[Check, bool], Finding], *, briefly: bool
) -> list[Finding]:
    """What all checks find; `briefly`: up to the first that fails, without waiting for any."""
    found: list[Finding] = []
    for check in checks:
        found.append(one(check, not briefly))
        if briefly and found[-1].state == "fail":
            break
    return found


def examine(check: Said, look: Callable[[], Seen], *, patient: bool = True) -> Finding:
    """Look once, or until it is as wanted where the check gives it time and we are patient."""
    until = time.monotonic() + (check.within if patient else 0.0)
    seen = look()
    while not seen.good and time.monotonic() < until:
        time.sleep(PAUSE)
        seen = look()
    if seen.good:
        return Finding(check.says, "pass", check.ok, seen.shown)
    if check.warn is not None:
        return Finding(check.says, "warn", check.warn, seen.shown)
    return Finding(check.says, "fail", check.fail or "", seen.shown)


def of_share(wanted: Share, number: int, packets: int) -> bool:
    """Whether `number` is that share of the packets that were sent."""
    if wanted == "some":
        return number > 0
    if wanted == "all":
        return packets > 0 and number >= MOST * packets
    return number <= LEAST * packets


def send_until(wanted: Share, once: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    """What was counted and what was sent, of the last time: again where nearly all of it came."""
    number, packets = once()
    for _ in range(AGAIN):
        if wanted != "all" or of_share(wanted, number, packets) or number < NEARLY * packets:
            break
        number, packets = once()
    return number, packets


def verdict(findings: Sequence[Finding]) -> State:
    """What all of them come to: the worst of them."""
    states = {finding.state for finding in findings}
    return "fail" if "fail" in states else "warn" if "warn" in states else "pass"


def shortened(text: str) -> str:
    """Its beginning, without empty lines."""
    plain = "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    return plain if len(plain) <= SHOWN else plain[: SHOWN - 4].rstrip() + " ..."
