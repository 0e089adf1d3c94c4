"""A task proved on a lab: its check fails before, passes when solved, and finds the mistake.

RouterOS routers are doubles, started as containerlab starts them.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from pathlib import Path

from pydantic import SecretStr

from ppslab.core import paths
from ppslab.course.lab_rules import of_switch
from ppslab.course.tasks import reading
from ppslab.course.tasks.checks import Finding, Sent, verdict
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import Hand, RouterOSTestbed
from ppslab.course.tasks.schema import Task, Traffic, Variant
from ppslab.course.tasks.testbeds import RouterOSTaskLab, TaskLab, TaskTestbed
from ppslab.measure.testbed.routeros import beside_the_router
from ppslab.model.lab import lab, topology
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.changes import Configurator
from ppslab.testbed.routers.routeros.journal import Journal
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import CONNECTIONS
from tests.support.doubles.routeros_rest import Device, Server

TEMPLATE = "_template"
LABS = [*(name for name in lab.names() if reading.has(lab.find(name))), TEMPLATE]


@cache
def tasks_of(name: str) -> Tasks:
    return reading.load(lab.load(paths.project_root() / "labs" / name))


def variants(variant: Variant) -> list[str]:
    return [n for n in LABS if any(not tasks_of(n).without(t, variant) for t in tasks_of(n).all)]


def prove(tasks: Tasks, variant: Variant, standing: TaskLab) -> None:
    """The proofs of all tasks, one after the other on the same lab."""
    stands: str | None = None
    for task in tasks.of(variant):
        before = tasks.before(task, variant)
        if not before or stands != before[-1].name:
            told = standing.restore(tasks.condition(task, variant))
            assert variant == "linux" or told == []
            for each in before:
                standing.testbed.begin(each)
                standing.testbed.solve(each)
        testbed = standing.testbed
        testbed.begin(task)
        assert fails(testbed, task), f"{task.name}: its check passes before it is done"
        with back(testbed):
            testbed.solve(task)
            assert state(testbed, task) == "pass", f"{task.name}: {said(testbed, task)}"
            testbed.blunder(task)
            assert fails(testbed, task), f"{task.name}: its check overlooks the mistake"
        testbed.solve(task)
        assert state(testbed, task) == "pass", f"{task.name}, repaired: {said(testbed, task)}"
        stands = task.name


class back:  # noqa: N801  (used as a context manager only)
    """On RouterOS what was made meanwhile is taken back, as a statement adds a row each time."""

    def __init__(self, testbed: TaskTestbed) -> None:
        hands = testbed.hands.values() if isinstance(testbed, RouterOSTestbed) else ()
        self.kept = [(hand, len(hand.journal.changes)) for hand in hands]

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        for hand, count in self.kept:
            assert hand.configurator.put_back(count) == []


LAST: dict[str, list[Finding]] = {}


def state(testbed: TaskTestbed, task: Task) -> str:
    LAST[task.name] = testbed.check(task)
    return verdict(LAST[task.name])


def fails(testbed: TaskTestbed, task: Task) -> bool:
    """Whether its check fails; the first that does is enough."""
    return verdict(testbed.check(task, briefly=True)) == "fail"


def said(testbed: TaskTestbed, task: Task) -> str:
    del testbed
    return "; ".join(
        f"{f.says}: {f.said} ({f.shown})" for f in LAST[task.name] if f.state != "pass"
    )


PASSWORD = "correct horse"


def routers(
    stack: ExitStack, tasks: Tasks, folder: Path
) -> tuple[RouterOSTaskLab, dict[str, Device]]:
    """The lab's routers as doubles, each started with its file as containerlab does it.

    No CHR has a switch chip: a lab that wants one has a switch, which nobody gave a file.
    """
    found = tasks.lab
    wiring = topology.find(f"{found.spec.topology}-chr", foreign=True)
    switch = of_switch(tasks)
    ports = tuple(f"ether{number}" for number in range(1, 11))
    devices: dict[str, Device] = {}
    hands: dict[str, Hand] = {}
    for node in (found.spec.router, *beside_the_router(found)):
        device = Device(
            password=PASSWORD,
            version="7.20.8 (long-term)",
            level="p-unlimited",
            interfaces=(*ports, "sfp-sfpplus1", "sfp-sfpplus2") if switch else ports,
            hardware=switch,
            cpus=4,
        )
        server = stack.enter_context(Server(device))
        there = RouterOS(url=server.url, password=SecretStr(PASSWORD))
        start = []
        if not switch:
            start = [wiring.path.parent / str(wiring.nodes[node].foreign["startup-config"])]
            started(there, start[0], folder / f"{node}.start")
        hand = Hand(Api(there), tasks, node, folder / f"{node}.journal")
        stack.callback(hand.close)
        hand.meet({})
        hand.first(start)
        devices[node], hands[node] = device, hand

    def send(traffic: Traffic) -> Sent:
        """The lab's router carries them; whether one arrives the double does not know."""
        flows = tasks.flows(traffic)
        for flow in flows:
            devices[found.spec.router].carry(
                flow.tx_name, flow.rx_name, traffic.packets // len(flows), traffic.size
            )
        return Sent(traffic.packets, traffic.packets)

    return RouterOSTaskLab(RouterOSTestbed(tasks, hands, send), "double"), devices


def started(there: RouterOS, start: Path, journal: Path) -> None:
    asked = Api(there)
    begun = Journal.open(journal, "the double")
    configurator = Configurator(asked, begun)
    for statement in script.read(start):
        configurator.make(statement)
    begun.close()
    asked.close()


def configuration(device: Device) -> object:
    """What it is configured to, without ids, counters and what follows from it."""
    moving = ("packet", "byte", "active", "total-entries")
    lists = {
        menu: [
            {k: v for k, v in row.items() if not any(part in k for part in moving)}
            for row in rows.values()
        ]
        for menu, rows in device.tree.lists.items()
        if rows and menu not in CONNECTIONS
    }
    singles = {
        menu: {k: v for k, v in row.items() if not any(part in k for part in moving)}
        for menu, row in device.tree.singles.items()
    }
    return lists, singles
