"""The judging of a task's check: looked at, sent through, and judged.

A check is anything with the fields of `schema.LinuxCheck`.  Requests that are yielded, and
what is to be sent back:

    (NOW,)                    seconds on a clock that never goes back
    (WAIT, seconds)           None, after so long
    (RUN, check)              (exit code, output, errors) of the check's command on its node
    (SEND, check)             (packets sent, packets that arrived) of the check's traffic
    (MATCH, expression, text) whether the regular expression is found, `^` and `$` at each line
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

NOW, WAIT, RUN, SEND, MATCH = "now", "wait", "run", "send", "match"

Steps = Generator[Any, Any, Any]
"""Yields requests, returns a result."""

MOST = 0.95
LEAST = 0.05
"""Of the packets that were sent: from MOST on `all`; up to LEAST `none`."""

NEARLY = 0.5
AGAIN = 2
"""Tries at most, where nearly `all` arrived: another program had the CPU."""

PAUSE = 0.5
"""Seconds until what may come true is looked at again."""

SHOWN = 240
"""Letters of what a check found that a learner is shown."""


class NoNumberError(ValueError):
    """A command that counts printed something else; its arguments: the command, and what."""


def play(steps: Steps, answer: Callable[[Any], Any]) -> Any:
    """Answer every request, one after the other; what the steps return."""
    said = None
    try:
        while True:
            said = answer(steps.send(said))
    except StopIteration as end:
        return end.value


def every(checks: Sequence[Any], briefly: bool) -> Steps:
    """The findings of all checks; `briefly`: up to the first that fails, without waiting."""
    found: list[Any] = []
    for check in checks:
        found.append((yield from examine(check, not briefly)))
        if briefly and found[-1][1] == "fail":
            break
    return found


def examine(check: Any, patient: bool) -> Steps:
    """Look once, or until it is as wanted where the check gives it time and we are patient.

    Returns (what was looked at, pass or fail, what it says, what was seen).
    """
    until = (yield (NOW,)) + (check.within if patient else 0)
    good, shown = yield from look(check)
    while not good and (yield (NOW,)) < until:
        yield (WAIT, PAUSE)
        good, shown = yield from look(check)
    if good:
        return (check.says, "pass", check.ok, shown)
    return (check.says, "fail", check.fail, shown)


def look(check: Any) -> Steps:
    """One look of a check of Linux nodes: whether it is as it should be, and what was seen."""
    wanted = check.arrive or check.grows
    if wanted is None:
        return (yield from _printed(check))
    once = _arrived if check.arrive else _counted
    number, packets = yield from send_until(wanted, lambda: once(check))
    what = "arrived" if check.arrive else "counted"
    return (of_share(wanted, number, packets), f"{packets} packets sent, {number} {what}")


def _printed(check: Any) -> Steps:
    code, output, errors = yield (RUN, check)
    if not check.expect:
        return (code == 0, shortened(errors or output))
    good = True
    for expression in check.expect:
        forbidden = expression.startswith("!")
        found = yield (MATCH, expression[1:] if forbidden else expression, output)
        if found == forbidden:
            good = False
            break
    return (good, shortened(output or errors) or "(nothing)")


def _arrived(check: Any) -> Steps:
    packets, arrived = yield (SEND, check)
    return (arrived, packets)


def _counted(check: Any) -> Steps:
    before = yield from _number(check)
    packets, _ = yield (SEND, check)
    after = yield from _number(check)
    return (after - before, packets)


def _number(check: Any) -> Steps:
    _, output, _ = yield (RUN, check)
    said = output.strip()
    if not said:
        return 0  # the counter does not exist (yet), as the check will find
    if not said.isdigit():
        raise NoNumberError(check.run, shortened(said))
    return int(said)


def send_until(wanted: str, once: Callable[[], Steps]) -> Steps:
    """Send until enough came: counted and sent of the last time, again where nearly all came."""
    number, packets = yield from once()
    for _ in range(AGAIN):
        if wanted != "all" or of_share(wanted, number, packets) or number < NEARLY * packets:
            break
        number, packets = yield from once()
    return (number, packets)


def of_share(wanted: str, number: int, packets: int) -> bool:
    """True if `number` is that share of the packets that were sent."""
    if wanted == "some":
        return number > 0
    if wanted == "all":
        return packets > 0 and number >= MOST * packets
    return number <= LEAST * packets


def hint_of(checks: Sequence[Any], found: Sequence[Any]) -> str:
    """The hint of the first check that failed and has one; `found`: (.., state, ..) of each."""
    for check, finding in zip(checks, found):  # noqa: B905  (MicroPython's zip has no `strict`)
        if finding[1] == "fail" and check.hint:
            return str(check.hint)
    return ""


def worst(states: Sequence[str]) -> str:
    return "fail" if "fail" in states else "pass"


def shortened(text: str) -> str:
    """Its beginning, without empty lines."""
    plain = "\n".join([line.rstrip() for line in text.split("\n") if line.strip()])
    return plain if len(plain) <= SHOWN else plain[: SHOWN - 4].rstrip() + " ..."
