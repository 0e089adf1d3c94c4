"""The testbed of tasks: the lab of `ppslab up`, or one that is deployed for them and kept.

RouterOS is a CHR that containerlab has started, or a router on the bench.  On Linux a lab is put
back by deploying it anew, whatever a learner did to it; RouterOS by what was noted of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from ppslab.core.errors import BackendError, UsageError
from ppslab.course.tasks.checks import Finding, Sender, Sent
from ppslab.course.tasks.linux import LinuxTestbed, sender
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import Hand, RouterOSTestbed
from ppslab.course.tasks.schema import Task, Traffic, Variant
from ppslab.measure.testbed.linux import bearable_burst, maker, real_time, router_of
from ppslab.measure.testbed.routeros import (
    CHR,
    CHR_PASSWORD,
    CHR_USER,
    beside_the_router,
    lent,
    tester_alone,
    unfit,
    wait_for_links,
)
from ppslab.measure.testbed.routeros import check as check_bench
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.machine import FEATURE
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import (
    Backend,
    Deployment,
    attach,
    capabilities,
    open_backend,
    registry,
)
from ppslab.testbed.routers import bench_inventory, devices
from ppslab.testbed.routers.bench_inventory import BenchInventory
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.journal import default_path
from ppslab.testbed.routers.routeros.ports import of_chr
from ppslab.testbed.routers.routeros.router import take_backup
from ppslab.testbed.testers.ppstraffic import Tester


class TaskTestbed(Protocol):
    """The nodes or routers that a task is done on."""

    @property
    def send(self) -> Sender:
        """Sends a task's traffic."""

    def begin(self, task: Task) -> None:
        """Set the task up, before the learner's part."""

    def solve(self, task: Task) -> None:
        """Do the learner's part."""

    def blunder(self, task: Task) -> None:
        """Make the mistake that the task's check must find."""

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        """Run the checks of the task; `briefly`: up to the first that fails."""


class TaskLab(Protocol):
    """A lab deployed for tasks; `run` tells this deployment from any other."""

    run: str

    @property
    def testbed(self) -> TaskTestbed:
        """The testbed of the tasks, in its present state."""

    def restore(self, condition: str | None) -> list[str]:
        """Bring it into a condition as if untouched; returns messages for the learner."""

    def end(self) -> list[str]:
        """Remove all traces of it; returns messages for the learner."""


class LinuxTaskLab:
    """A lab of Linux nodes on a backend; `run_id` is its name there."""

    def __init__(self, tasks: Tasks, backend: Backend, run_id: str) -> None:
        self.tasks = tasks
        self.backend = backend
        self.run_id = run_id
        self.run = backend.entry.name
        self.wiring: Topology = topology.find(tasks.lab.spec.topology)
        self._deployment: Deployment | None = backend.deployments().get(run_id)

    @property
    def testbed(self) -> LinuxTestbed:
        """The lab in its present state."""
        if self._deployment is None:
            raise BackendError(f"lab {self.tasks.lab.name} is no longer up")
        node = self._deployment.node(self.tasks.lab.spec.tester)
        make = maker(first=real_time(node, self.backend), burst=bearable_burst(self.backend))
        emulated = self.backend.facts.get("emulation") == "tcg"
        send = sender(self.tasks, make(node), emulated=emulated)
        return LinuxTestbed(self.tasks, self._deployment, send)

    def restore(self, condition: str | None) -> list[str]:
        """Deploy it anew, and bring it into the condition."""
        lab, again = self.tasks.lab, self._deployment is not None
        self.remove()
        self._deployment = self.backend.deploy(self.wiring, run_id=self.run_id)
        if condition is not None:
            router = router_of(lab, self._deployment, self.wiring)
            wanted = lab.condition(condition)
            router.apply(wanted)
            problems = router.read_back(wanted).problems
            if problems:
                raise BackendError(f"condition {condition} is not in place: {'; '.join(problems)}")
        return ["the lab was deployed anew; a shell that was open on it has ended"] if again else []

    def end(self) -> list[str]:
        """Take it down, and the backend with it."""
        self.backend.stop()
        return [f"{self.tasks.lab.name} is down"]

    def remove(self) -> None:
        """Take it down; its backend stays."""
        standing, self._deployment = self._deployment, None
        if standing:
            standing.remove()


class RouterOSTaskLab:
    """A lab whose routers are RouterOS; `first`: no task has touched them yet."""

    def __init__(self, testbed: RouterOSTestbed, run: str) -> None:
        self.testbed = testbed
        self.run = run

    def restore(self, condition: str | None) -> list[str]:
        """Put everything back, and bring it into the condition."""
        return self.testbed.restore(condition)

    def end(self) -> list[str]:
        """Put everything back; a CHR stays up until `ppslab down`."""
        return self.testbed.end()


# --- where a lab stands, or is stood up ----------------------------------------------------------

Say = Callable[[str], None]


@dataclass(frozen=True)
class Where:
    """The learner's choice of a testbed.  `isolated`: nothing else is on the bench's network."""

    variant: Variant = "linux"
    backend: str = "auto"
    dut: Path | None = None
    isolated: bool = False
    say: Say = field(default=lambda text: None)


def entry_of(name: str) -> registry.Entry | None:
    """The deployment of this name, until somebody takes it down."""
    return next((e for e in registry.live() if e.detached and name in e.runs), None)


def open_lab(
    stack: ExitStack, tasks: Tasks, where: Where, *, known: str, up: bool
) -> TaskLab | None:
    """The lab where it stands; `up`: stand it up where it does not, else None.

    `known`: the `run` in which tasks were begun.  All connections end when `stack` unwinds, and the
    lab stays.  UsageError where it stands on a backend that cannot do the tasks; CannotHereError
    where no backend can.
    """
    tasks.of(where.variant)
    if where.variant == "linux":
        if where.dut:
            raise UsageError("--dut is a RouterOS router: add --router routeros")
        return _linux(stack, tasks, where, up=up)
    router = bench_inventory.told(where.dut, "routeros")
    if router is not None:
        return _testbed(stack, tasks, where, router, known=known)
    return _chr(stack, tasks, where, known=known, up=up)


def _linux(stack: ExitStack, tasks: Tasks, where: Where, *, up: bool) -> LinuxTaskLab | None:
    lab = tasks.lab
    machine = lab.spec.machine
    needs = tasks.needs | ({FEATURE} if machine else frozenset())
    entry = entry_of(lab.name)
    if entry is not None:
        missing = sorted(needs - capabilities.features_of(entry.backend))
        if missing:
            raise UsageError(
                f"lab {lab.name} is up on {entry.backend}, which has no {', '.join(missing)} for "
                f"its tasks: `ppslab down {lab.name}`, then `ppslab task {lab.name} start`"
            )
        backend = stack.enter_context(attach(entry))
        return LinuxTaskLab(tasks, backend, lab.name)
    if not up:
        return None
    choice = capabilities.choose(needs, where.backend)
    where.say(f"starting {choice.backend}: {choice.reason}")
    backend = stack.enter_context(_kept(open_backend(choice.backend, detach=True, machine=machine)))
    return LinuxTaskLab(tasks, backend, lab.name)


class _kept:  # noqa: N801  (used as a context manager only)
    """A detached backend that stays after success, and is stopped where nothing is deployed."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def __enter__(self) -> Backend:
        return self.backend

    def __exit__(self, *_: object) -> None:
        if self.backend.entry.runs:
            self.backend.close()
        else:
            self.backend.stop()


def _chr(
    stack: ExitStack, tasks: Tasks, where: Where, *, known: str, up: bool
) -> RouterOSTaskLab | None:
    lab = tasks.lab
    for _, name in tasks.spec.conditions():
        why = unfit(lab.conditions[name], on_bench=False)
        if why:
            raise UsageError(
                f"the tasks of {lab.name} begin with {name}, and {why}: use --dut FILE"
            )
    wiring = topology.find(f"{lab.spec.topology}{CHR}", foreign=True)
    run_id = f"{lab.name}{CHR}"
    entry = entry_of(run_id)
    if entry is None and not up:
        return None
    if entry is not None:
        backend = stack.enter_context(attach(entry))
        deployment = backend.deployments()[run_id]
    else:
        wanted = "containerlab" if where.backend == "auto" else where.backend
        choice = capabilities.choose(frozenset(), wanted)
        if choice.backend != "containerlab":
            raise UsageError(
                f"the backend {choice.backend} has no RouterOS router: use containerlab for a CHR, "
                "or the bench for your own router (--dut FILE)"
            )
        where.say("starting containerlab; a CHR takes a minute")
        backend = stack.enter_context(_kept(open_backend("containerlab", detach=True)))
        deployment = backend.deploy(wiring, run_id=run_id)
    node = deployment.node(lab.spec.tester)
    send = sender(tasks, maker(first=real_time(node, backend))(node))
    hands: dict[str, Hand] = {}
    for name in (lab.spec.router, *beside_the_router(lab)):
        device = devices.RouterOS(
            url=f"http://{deployment.address(name)}",
            plain_http=True,  # on a bridge of this machine's own
            user=CHR_USER,
            password=SecretStr(CHR_PASSWORD),
        )
        config = wiring.nodes[name].foreign.get("startup-config")
        hand = Hand(Api(device), tasks, name, default_path(device))
        stack.callback(hand.close)
        hand.meet(of_chr(lab))
        if known != backend.entry.name:
            hand.first([wiring.path.parent / str(config)] if config else [])
        hands[name] = hand
    return RouterOSTaskLab(RouterOSTestbed(tasks, hands, send), backend.entry.name)


def _testbed(
    stack: ExitStack, tasks: Tasks, where: Where, router: BenchInventory, *, known: str
) -> RouterOSTaskLab:
    lab = tasks.lab
    check_bench(lab, on_bench=True)
    api = Api(router.device, login=router.remedy)
    hand = Hand(api, tasks, lab.spec.router, default_path(router.device))
    stack.callback(hand.close)
    hand.meet(router.router_ports(lab))
    run = router.spec.routeros.url
    if known != run or not hand.journal.changes:
        place = default_path(router.device)
        kept = take_backup(api, place.parent, place.stem, router.spec.routeros.ssh)
        where.say(f"the configuration before the tasks is in {kept}")
        hand.first(())
    send = _from_this_machine(lab, tasks, router, isolated=where.isolated)
    return RouterOSTaskLab(RouterOSTestbed(tasks, {lab.spec.router: hand}, send), run)


def _from_this_machine(lab: Lab, tasks: Tasks, router: BenchInventory, *, isolated: bool) -> Sender:
    """Sends from interfaces of this machine, which are in a namespace only while it sends."""

    def send(traffic: Traffic) -> Sent:
        if not isolated:
            raise bench_inventory.refuse(router)
        wiring = tester_alone(topology.find(lab.spec.topology), lab.spec.tester)
        borrowed = lent(lab, router.tester_ports(lab))
        with (
            open_backend("namespaces") as backend,
            backend.deploy(wiring, borrow=borrowed) as alone,
        ):
            node = alone.node(lab.spec.tester)
            wait_for_links(node, borrowed)
            first = real_time(node, backend)
            return sender(tasks, Tester(node, first=first, cards=True))(traffic)

    return send
