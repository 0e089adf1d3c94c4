"""What a CHR and a router on the bench share: which labs fit them, and what spoils their numbers.

The CHR runs in containerlab (chr_testbed); the bench is in bench_testbed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ppslab.backends import capabilities
from ppslab.backends.capabilities import CpuPlan
from ppslab.base.errors import UsageError
from ppslab.instruments.testers import Chosen
from ppslab.lab import topology
from ppslab.lab.lab import Condition, Lab
from ppslab.results import Trial

if TYPE_CHECKING:
    from ppslab.routers.routeros.checks.fast_path import Finding
    from ppslab.routers.routeros.router import RouterOSRouter

SWITCH_ONLY = "switch-only"
"""The folder of a lab's RouterOS files that only a router with a switch chip takes."""


@dataclass(frozen=True)
class Using:
    """The tester; who hears of its trials, and of what only the reader should know."""

    chosen: Chosen
    """The tester that was asked for."""
    on_trial: Callable[[Trial], None]
    """Called with every trial."""
    say: Callable[[str], None]
    """Told what only the reader needs to know."""


def unfit(condition: Condition, *, on_bench: bool) -> str:
    """Why a condition cannot be measured on a RouterOS router; empty where it can."""
    if not condition.routeros:
        return "it has no RouterOS configuration"
    if not on_bench and any(SWITCH_ONLY in Path(file).parts for file in condition.routeros):
        return "it needs a switch chip, and a CHR has none"
    if condition.nodes and on_bench:
        others = ", ".join(condition.nodes)
        return f"it configures {others} too, and a bench has one router"
    return ""


def check(lab: Lab, *, on_bench: bool) -> None:
    """UsageError for a lab that no RouterOS router can stand in."""
    if lab.spec.machine is not None:
        raise UsageError(
            f"lab {lab.name} builds a machine of sockets and cards around its router; RouterOS "
            "brings its own, and shows no sockets: --router linux"
        )
    if on_bench:
        wiring = topology.find(lab.spec.topology)
        more = [n for n in wiring.nodes if n not in (lab.spec.router, lab.spec.tester)]
        if more:
            raise UsageError(
                f"lab {lab.name} has {', '.join(more)} beside its router {lab.spec.router}: on "
                "the bench there is one router and the tester"
            )


def beside_the_router(lab: Lab) -> tuple[str, ...]:
    """The nodes that RouterOS files of the lab are for, but its router."""
    named = dict.fromkeys(name for names in lab.spec.routeros_nodes.values() for name in names)
    return tuple(name for name in named if name != lab.spec.router)


def external_cpus() -> CpuPlan:
    """Who works where in a tester whose router is elsewhere: one CPU sends, another reads."""
    plan = capabilities.cpu_plan()
    reader = plan.reader if plan.router is None or plan.reader != plan.sender else plan.router
    return CpuPlan(plan.sender, None, reader, is_external=True)


def report_findings(
    router: RouterOSRouter, lab: Lab, tester: Using, *, here: bool | None
) -> list[Finding]:
    """Tell the reader what the router said when it was opened, and what spoils its numbers.

    The latter, which is returned, is for the record too.  The rest is not: a backup's name has the
    router's address.
    """
    from ppslab.routers.routeros.checks import Needs, check  # noqa: PLC0415

    for note in router.notes:
        tester.say(note)
    statements = [s for c in lab.conditions.values() for s in router.statements(c)]
    findings = [
        finding
        for finding in check(router.api, Needs(here=here, statements=statements))
        if finding.state in ("spoils", "warns")
    ]
    for finding in findings:
        tester.say(f"the router {finding.state}: {finding.name}: {finding.said}")
        if finding.remedy:
            tester.say(f"  what to do: {finding.remedy}")
    return findings


def sentences_of(findings: Sequence[Finding]) -> tuple[str, ...]:
    """What a record says of the findings."""
    return tuple(f"The router: {finding.name}: {finding.said}." for finding in findings)
