"""How far a rehearsal is, in a line every some seconds: a class in guests takes many minutes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from ppslab_class.rehearsal.on_server import steps
from ppslab_class.rehearsal.on_server.sitting import Sitting, available_mib
from ppslab_class.rehearsal.on_server.steps import Step

EVERY_SECONDS: Final = 15.0


async def tell_always(
    sittings: Sequence[Sitting], tasks: int, begun: float, tell: Callable[[str], None]
) -> None:
    """Tell it until this is cancelled, and each failure once; `tasks`: of each seat."""
    told: set[Step] = set()
    while True:
        await asyncio.sleep(EVERY_SECONDS)
        faults = [step for each in sittings for step in each.steps if step.fault]
        for step in sorted(set(faults) - told, key=lambda step: step.at):
            tell(f"{step.at:.0f} s: {step.seat} {step.kind} {step.what} failed: {step.fault}")
        told.update(faults)
        tell(line(sittings, tasks, begun, time.monotonic()))


def line(sittings: Sequence[Sitting], tasks: int, begun: float, now: float) -> str:
    """The tasks that each seat has done, in the order of the seats, and who waits longest."""
    done = [each.tasks_done for each in sittings]
    failed = sum(bool(step.fault) for each in sittings for step in each.steps)
    told = [
        f"{now - begun:.0f} s: {sum(done)} of {tasks * len(done)} tasks are done "
        f"(by seat: {' '.join(map(str, done))})",
        f"{failed} {'step' if failed == 1 else 'steps'} failed, {available_mib()} MiB left",
    ]
    check = steps.spreads([step for each in sittings for step in each.steps]).get("check")
    if check and check.median is not None:
        told.append(f"a check {check.median:.1f} s, p99 {check.p99:.1f} s")
    busy = [(each.doing, each.seat) for each in sittings if each.doing]
    if busy:
        doing, seat = min(busy, key=lambda each: each[0].since)
        words = " ".join(filter(None, (seat, doing.kind, doing.what)))
        told.append(f"longest wait: {words}, {now - doing.since:.0f} s")
    return "; ".join(told)
