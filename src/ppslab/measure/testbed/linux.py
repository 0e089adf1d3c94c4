"""Stand a lab up for measuring: its topology, the tester, the tester's cable, who has which CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ppslab.core import paths
from ppslab.core.errors import FileError, did_you_mean
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.profiles import Profile
from ppslab.model.lab.topology import Topology
from ppslab.model.results import Trial
from ppslab.testbed.backends import Backend, Deployment, Node, capabilities
from ppslab.testbed.backends.capabilities import CpuPlan
from ppslab.testbed.backends.vm.backend import MACHINE_PROC
from ppslab.testbed.routers.linux.deployed import UNKNOWN, Standing
from ppslab.testbed.routers.linux.router import LinuxRouter
from ppslab.testbed.testers.contract import BackToBack, Tester
from ppslab.testbed.testers.testers import PPSTRAFFIC, Chosen

EMULATED_BURST = 4
"""Frames that the tester hands over at once where the router is emulated."""

IMAGE_OBJECTS = "/usr/lib/ppslab/bpf"
"""Folder of the BPF programs in the image of the Linux router."""

REAL_TIME = ("chrt", "--fifo", "50")

YIELDING = ("chrt", "--idle", "0")
"""Prefix of a tester whose guest's instructions are counted: the kernel's threads go first.

Sender and threads share the guest's one CPU.  As equals they took turns by the scheduler's clock,
and how many packets a cipher's thread found at its turn moved WireGuard's count by 6 % from trial
to trial.  As it is, each burst is ciphered before the next is sent, and it moves by 1 %.
"""


def stand(
    stack: ExitStack,
    backend: Backend,
    lab: Lab,
    profile: Profile,
    *,
    tester: Chosen = PPSTRAFFIC,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> FrameTestbed:
    """Deploy a lab and a cable on an open backend; both go when `stack` unwinds.

    Under emulation the profile is the one that it has for it.  CannotHereError where the tester
    does not reach it.
    """
    tester.must_reach(backend.name)
    if backend.counted:
        profile = profile.counted()
    elif backend.facts.get("emulation") == "tcg":
        profile = profile.under_emulation()
    if lab.spec.machine:
        profile = patient(profile)
    wiring = topology.find(lab.spec.topology)
    deployment = stack.enter_context(backend.deploy(wiring))
    cables = BackToBack.wiring()
    cabled = stack.enter_context(backend.deploy(cables))
    of_cards = lab.spec.machine.cards if lab.spec.machine else {}
    node = deployment.node(lab.spec.tester)
    make = maker(
        tester,
        first=YIELDING if backend.counted else real_time(node, backend),
        burst=bearable_burst(backend),
        kernel_threads=MACHINE_PROC if backend.counted else None,
    )
    return FrameTestbed(
        lab=lab,
        router=router_of(lab, deployment, wiring),
        tester=make(node),
        cable=BackToBack(cabled, cables, make, cards=cables.name in of_cards),
        cpus=cpus_of(backend, lab.spec.machine),
        profile=profile,
        counted=backend.counted,
        on_trial=on_trial,
    )


def router_of(
    lab: Lab,
    deployment: Deployment,
    wiring: Topology,
    *,
    standing: Standing = UNKNOWN,
) -> LinuxRouter:
    """The lab's router on a deployed topology, with the other nodes that conditions configure.

    A node of the lab's other topology (its TCP hosts, say) is not configured here.
    `standing`: what of a condition may stand on the nodes.
    FileError where neither topology has a node.
    """
    both = (lab.spec.topology, lab.spec.tcp.topology if lab.spec.tcp else None)
    elsewhere = {node for name in both if name for node in topology.find(name).nodes}
    names = dict.fromkeys(name for c in lab.conditions.values() for name in c.nodes)
    for name in (lab.spec.router, *names):
        if name not in wiring.nodes and (name == lab.spec.router or name not in elsewhere):
            near = did_you_mean(name, wiring.nodes)
            message = f"topology {wiring.name} has no node {name!r}{near}"
            raise FileError(lab.folder / "lab.yml", None, message)
    if lab.spec.modules:
        # Before the first tunnel: it stays with the driver that it found.
        deployment.node(lab.spec.router).run(["modprobe", "-aq", *lab.spec.modules], check=False)
    objects = deployment.path(paths.build_dir() / "bpf", IMAGE_OBJECTS)
    return LinuxRouter(
        deployment.node(lab.spec.router),
        lab,
        objects,
        others={
            name: LinuxRouter(
                deployment.node(name),
                lab,
                objects,
                ports=wiring.interfaces(name),
                role=name,
                standing=standing,
            )
            for name in names
            if name in wiring.nodes
        },
        standing=standing,
    )


def maker(
    tester: Chosen = PPSTRAFFIC,
    *,
    first: tuple[str, ...] = (),
    burst: int | None = None,
    cards: bool = False,
    kernel_threads: str | None = None,
) -> Callable[[Node], Tester]:
    """Makes the tester on a node; `cards`: whose ports are network cards of this machine.

    `kernel_threads`: the machine's /proc as the node sees it, where their time is to be counted.
    """
    return lambda node: tester.make(
        node,
        first=first,
        burst=burst,
        cards=cards,
        kernel_threads=kernel_threads,
        program=Path("ppstraffic") if node.own_files else None,
    )


CARDS_DRAIN_SECONDS = 0.5
"""Time for frames that wait before a card, and are not lost: an emulated wire holds hundreds of
frames, and at a load of six a third of a trial's frames came more than 50 ms after the last was
sent."""


def patient(profile: Profile) -> Profile:
    """The profile with a longer wait for the last frames of a trial."""
    waits = profile.waits
    drain = max(waits.drain_seconds, CARDS_DRAIN_SECONDS)
    return profile.model_copy(update={"waits": waits.model_copy(update={"drain_seconds": drain})})


def cpus_of(backend: Backend, machine: Machine | None = None) -> CpuPlan:
    """CPUs that send, route and read on an open backend, by a machine's words."""
    if machine is not None:
        return CpuPlan(machine.cpus.sender, machine.cpus.router, machine.cpus.reader)
    # A guest has CPUs of its own, and all of them.
    guest = range(int(backend.facts["cpus"])) if backend.name == "vm" else None
    plan = capabilities.cpu_plan(guest)
    if "rps" not in capabilities.features_of(backend.name):
        return replace(plan, router=None)
    return plan


def bearable_burst(backend: Backend) -> int | None:
    """Number of frames that the tester may hand over at once; None: its own choice.

    A CPU that works on packets for 2 ms leaves the rest to ksoftirqd (net/core/dev.c), and a
    sender on that CPU goes on sending meanwhile.  Emulated, 32 frames take longer than that: of
    frames that were cut in two on their way, up to 97 % were lost in queues that had overflowed.
    """
    return EMULATED_BURST if backend.facts.get("emulation") == "tcg" else None


def real_time(node: Node, backend: Backend) -> tuple[str, ...]:
    """Prefix of the tester, so that frames leave on time on a machine that others use too.

    At a load of five the latest frame of half a second left 10 ms late; with real-time priority
    0.1 ms.  Not in a guest: before Linux 6.5 a sender that never yields keeps ksoftirqd, and with
    it the router, from running.  Not without the right to it (unprivileged user namespace).
    """
    if backend.name == "vm" or node.run([*REAL_TIME, "true"], check=False).returncode != 0:
        return ()
    return REAL_TIME
