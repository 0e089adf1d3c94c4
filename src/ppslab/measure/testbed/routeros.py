"""Stand a lab up around RouterOS: a CHR in containerlab, or the reader's router on the bench.

On the bench only the tester is of the lab: its ports are interfaces of this machine, which go into
its namespace for the time of the run and come back as they were (backends/borrowed.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from ppslab.core.errors import BackendError, UsageError
from ppslab.measure.testbed.linux import bearable_burst, maker, patient, real_time
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.lab.profiles import Profile
from ppslab.model.lab.topology import Topology
from ppslab.model.results import Trial
from ppslab.testbed.backends import Backend, Borrow, Deployment, Node, capabilities
from ppslab.testbed.backends.capabilities import CpuPlan
from ppslab.testbed.backends.nodes import interfaces
from ppslab.testbed.routers import devices
from ppslab.testbed.routers.bench_inventory import BenchInventory
from ppslab.testbed.testers.contract import BackToBack
from ppslab.testbed.testers.testers import Chosen

if TYPE_CHECKING:
    from ppslab.testbed.routers.routeros.checks import Finding
    from ppslab.testbed.routers.routeros.router import RouterOSRouter

SWITCH_ONLY = "switch-only"
"""The folder of a lab's RouterOS files that only a router with a switch chip takes."""


@dataclass(frozen=True)
class Using:
    """The tester; who hears of its trials, and of what only the reader should know."""

    chosen: Chosen
    on_trial: Callable[[Trial], None]
    say: Callable[[str], None]
    """Told what only the reader needs to know."""


def unfit(condition: Condition, *, on_bench: bool) -> str:
    """Reason why a condition cannot be measured on a RouterOS router; empty where it can."""
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
            f"lab {lab.name} builds a machine of sockets and cards for a Linux router; RouterOS "
            "shows no sockets: use --router linux"
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
    """CPUs of a tester whose router is elsewhere: one sends, another reads."""
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
    from ppslab.testbed.routers.routeros.checks import Needs, check  # noqa: PLC0415

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
            tester.say(f"  remedy: {finding.remedy}")
    return findings


def sentences_of(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Sentences of the findings for a record."""
    return tuple(f"The router: {finding.name}: {finding.said}." for finding in findings)


CHR = "-chr"
"""Suffix of the topology of a lab whose router is a CHR."""

CHR_USER = CHR_PASSWORD = "admin"
"""Login that vrnetlab sets in every CHR that containerlab starts."""


def stand_chr(
    stack: ExitStack,
    backend: Backend,
    lab: Lab,
    profile: Profile,
    tester: Using,
) -> tuple[FrameTestbed, tuple[str, ...]]:
    """The lab's topology with a CHR as each of its routers, deployed by containerlab; and what of
    it a record should say.
    """
    wiring = topology.find(f"{lab.spec.topology}{CHR}", foreign=True)
    deployment = stack.enter_context(backend.deploy(wiring))
    beside = {name: _chr(deployment, lab, wiring, name) for name in beside_the_router(lab)}
    router = _chr(deployment, lab, wiring, lab.spec.router, others=beside)
    router.open()
    stack.callback(router.close)
    findings = report_findings(router, lab, tester, here=True)
    if any(finding.name == "kvm" and finding.state == "spoils" for finding in findings):
        backend.facts["emulation"] = "tcg"
        profile = profile.under_emulation()
    return around_a_chr(stack, backend, deployment, lab, profile, tester, router), sentences_of(
        findings
    )


def around_a_chr(
    stack: ExitStack,
    backend: Backend,
    deployment: Deployment,
    lab: Lab,
    profile: Profile,
    tester: Using,
    router: RouterOSRouter,
) -> FrameTestbed:
    node = deployment.node(lab.spec.tester)
    make = maker(tester.chosen, first=real_time(node, backend))
    cables = BackToBack.wiring()
    cabled = stack.enter_context(backend.deploy(cables))
    return FrameTestbed(
        lab=lab,
        router=router,
        tester=make(node),
        cable=BackToBack(cabled, cables, make),
        cpus=external_cpus(),
        profile=patient(profile),
        on_trial=tester.on_trial,
    )


def _chr(
    deployment: Deployment,
    lab: Lab,
    wiring: Topology,
    name: str,
    others: Mapping[str, RouterOSRouter] | None = None,
) -> RouterOSRouter:
    from ppslab.testbed.routers.routeros.journal import default_path  # noqa: PLC0415
    from ppslab.testbed.routers.routeros.ports import of_chr  # noqa: PLC0415
    from ppslab.testbed.routers.routeros.router import RouterOSRouter  # noqa: PLC0415

    device = devices.RouterOS(
        # A bridge of this machine's own, and a password that everybody knows.
        url=f"http://{deployment.address(name)}",
        plain_http=True,
        user=CHR_USER,
        password=SecretStr(CHR_PASSWORD),
    )
    start = wiring.nodes[name].foreign.get("startup-config")
    return RouterOSRouter(
        device,
        lab,
        ports=of_chr(lab),
        journal=default_path(device),
        backup=False,
        start=[wiring.path.parent / str(start)] if start else (),
        role=None if name == lab.spec.router else name,
        others=others,
    )


LINK_SECONDS = 15.0
"""Within which a port has a link: a 10GBASE-T port takes five seconds to agree on a speed."""

SMALLEST_MTU = 1500
ETHERNET_OVERHEAD = 18

NO_CABLE = (
    "The tester's own limit was measured on a wire in its kernel, not between two of its cards: "
    "join two more by a cable and name them left and right in the inventory."
)


def stand_on_the_bench(
    stack: ExitStack,
    backend: Backend,
    lab: Lab,
    profile: Profile,
    dut: BenchInventory,
    tester: Using,
) -> tuple[FrameTestbed, tuple[str, ...]]:
    """The tester on its interfaces, and the router that the inventory names; and what of it a
    record should say.

    All is put back when `stack` unwinds.  UsageError for interfaces that are in use or not there;
    BackendError where a port has no link.
    """
    ports, cable = _interfaces(lab, dut, tester)
    interfaces.check([*ports.values(), *(cable or ())])
    router = _opened(stack, lab, dut)
    findings = report_findings(router, lab, tester, here=None)
    testbed = around_the_bench(stack, backend, lab, profile, dut, tester, router)
    own = tester.chosen.is_device
    return testbed, (*sentences_of(findings), *(() if own or cable else (NO_CABLE,)))


def _interfaces(
    lab: Lab, dut: BenchInventory, tester: Using
) -> tuple[dict[str, str], tuple[str, str] | None]:
    """Interfaces of this machine: by the lab's ports, and the two of a cable; none of a device."""
    if tester.chosen.is_device:
        return {}, None
    return dut.tester_ports(lab), dut.cable


def around_the_bench(
    stack: ExitStack,
    backend: Backend,
    lab: Lab,
    profile: Profile,
    dut: BenchInventory,
    tester: Using,
    router: RouterOSRouter,
) -> FrameTestbed:
    ports, cable = _interfaces(lab, dut, tester)
    wiring = tester_alone(topology.find(lab.spec.topology), lab.spec.tester)
    borrowed = lent(lab, ports)
    deployment = stack.enter_context(backend.deploy(wiring, borrow=borrowed))
    node = deployment.node(lab.spec.tester)
    wait_for_links(node, borrowed)
    first, burst = real_time(node, backend), bearable_burst(backend)
    make = maker(tester.chosen, first=first, burst=burst, cards=True)

    cables = BackToBack.wiring()
    if cable is None:
        cabled = stack.enter_context(backend.deploy(cables))
        virtual = maker(tester.chosen, first=first, burst=burst)
        alone = BackToBack(cabled, cables, virtual)
    else:
        cabled = stack.enter_context(_cabled(backend, lab, cables, cable))
        alone = BackToBack(cabled, cables, make, cards=True)
    return FrameTestbed(
        lab=lab,
        router=router,
        tester=make(node),
        cable=alone,
        cpus=external_cpus(),
        profile=patient(profile),
        on_trial=tester.on_trial,
    )


def _opened(stack: ExitStack, lab: Lab, dut: BenchInventory) -> RouterOSRouter:
    # Here, for a Linux router needs nothing of what speaks to a device.
    from ppslab.testbed.routers.routeros.journal import default_path  # noqa: PLC0415
    from ppslab.testbed.routers.routeros.router import RouterOSRouter  # noqa: PLC0415

    router = RouterOSRouter(
        dut.device,
        lab,
        ports=dut.router_ports(lab),
        journal=default_path(dut.device),
        login=dut.remedy,
    )
    router.open()
    stack.callback(router.close)
    return router


def tester_alone(wiring: Topology, tester: str) -> Topology:
    """The tester's node without its wires, and without what its commands would do to cards."""
    node = replace(wiring.nodes[tester], exec=(), exec_lines=())
    return replace(wiring, name=f"{wiring.name}-bench", nodes={tester: node}, links=())


def lent(lab: Lab, ports: Mapping[str, str]) -> Sequence[Borrow]:
    """The interfaces of this machine that the tester has, by the lab's ports."""
    mtu = mtu_of(lab)
    return [
        Borrow(lab.spec.tester, lab.spec.ports[port], interface, mtu)
        for port, interface in ports.items()
    ]


def mtu_of(lab: Lab) -> int:
    """MTU for the lab's largest frame, in bytes without the Ethernet header."""
    sizes = [*lab.spec.frame_sizes, *(s for c in lab.conditions.values() for s in c.sizes)]
    return max(SMALLEST_MTU, *(size - ETHERNET_OVERHEAD for size in sizes))


def _cabled(backend: Backend, lab: Lab, cables: Topology, cable: tuple[str, str]) -> Deployment:
    link = cables.links[0]
    mtu = mtu_of(lab)
    lent = [
        Borrow(end.node, end.interface, interface, mtu)
        for end, interface in zip((link.a, link.b), cable, strict=True)
    ]
    wiring = tester_alone(cables, link.a.node)
    return backend.deploy(wiring, borrow=lent)


def wait_for_links(node: Node, borrowed: Sequence[Borrow]) -> None:
    """BackendError for the first port that nothing is plugged into."""
    until = time.monotonic() + LINK_SECONDS
    for each in borrowed:
        file = f"/sys/class/net/{each.name}/carrier"
        while node.run(["cat", file], check=False).stdout.strip() != "1":
            if time.monotonic() > until:
                raise BackendError(
                    f"interface {each.interface} has no link: check the cable, and whether the "
                    "router's port is enabled"
                )
            time.sleep(0.2)
