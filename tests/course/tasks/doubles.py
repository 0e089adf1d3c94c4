"""A lab's RouterOS routers as doubles, started as containerlab starts them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from pydantic import SecretStr

from ppslab.course.tasks.checks import Sent
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import Hand, RouterOSTestbed
from ppslab.course.tasks.schema import Traffic
from ppslab.course.tasks.task_labs import RouterOSTaskLab
from ppslab.measure.testbed.routeros import beside_the_router
from ppslab.model.lab import topology
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.changes.configurator import Configurator
from ppslab.testbed.routers.routeros.changes.journal import Journal
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.statement import CONNECTIONS
from tests.support.doubles.routeros_rest import Device, Server

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


def of_switch(tasks: Tasks) -> bool:
    """Whether what the tasks begin with is for a router with a switch chip."""
    named = (tasks.lab.conditions[name] for _, name in tasks.spec.conditions())
    return any("switch-only" in file for condition in named for file in condition.routeros)


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
