"""Stand a lab up around a router on the bench.

Only the tester is of the lab: its ports are interfaces of this machine, which go into its
namespace for the time of the run and come back as they were (backends/borrowed.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from ppslab.backends import Backend, Borrow, Deployment, Node
from ppslab.backends.nodes import interfaces
from ppslab.base.errors import BackendError
from ppslab.instruments.back_to_back import BackToBack
from ppslab.lab import topology
from ppslab.lab.lab import Lab
from ppslab.lab.profiles import Profile
from ppslab.lab.topology import Topology
from ppslab.measurement.testbed.linux import bearable_burst, maker, patient, real_time
from ppslab.measurement.testbed.routeros import Using, external_cpus, report_findings, sentences_of
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.routers.bench_inventory import BenchInventory

if TYPE_CHECKING:
    from ppslab.routers.routeros.router import RouterOSRouter

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
    own = tester.chosen.device is not None
    return testbed, (*sentences_of(findings), *(() if own or cable else (NO_CABLE,)))


def _interfaces(
    lab: Lab, dut: BenchInventory, tester: Using
) -> tuple[dict[str, str], tuple[str, str] | None]:
    """Interfaces of this machine: by the lab's ports, and the two of a cable; none of a device."""
    if tester.chosen.device is not None:
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
    """The tester around a router on the bench."""
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
    from ppslab.routers.routeros.changes.journal import default_path  # noqa: PLC0415
    from ppslab.routers.routeros.router import RouterOSRouter  # noqa: PLC0415

    router = RouterOSRouter(
        dut.device,
        lab,
        ports=dut.router_ports(lab),
        journal=default_path(dut.device),
        ssh=dut.spec.routeros.ssh,
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
    """What the lab's largest frame needs, in bytes without the Ethernet header."""
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
                    f"interface {each.interface} has no link: is its cable in, and is the router's "
                    "port enabled?"
                )
            time.sleep(0.2)
