"""What FastTrack has taken stays with it: the manual, and the task that takes FastTrack out.

Packet Flow in RouterOS, FastTrack (read 2026-08-09): "The connection is FastTracked until a
connection is closed, timed out or the router is rebooted."
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.course.tasks.checks import verdict
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import RouterOSTestbed
from ppslab.course.tasks.task_labs import RouterOSTaskLab
from ppslab.testbed.routers.routeros import api
from tests.course.tasks.doubles import routers
from tests.course.tasks.proving import tasks_of
from tests.support.doubles.routeros_rest import Device

CONNECTIONS = "/ip/firewall/connection"


@pytest.fixture
def tasks() -> Tasks:
    return tasks_of("fasttrack")


@pytest.fixture
def standing(
    tasks: Tasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[RouterOSTaskLab, Device]]:
    """The lab's router when FastTrack has taken connections."""
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    with ExitStack() as stack:
        found, devices = routers(stack, tasks, tmp_path)
        found.restore("fasttrack")
        device = devices[tasks.lab.spec.router]
        device.carry("p1", "p2", 100, 128)
        yield found, device


def its_testbed(standing: RouterOSTaskLab) -> RouterOSTestbed:
    assert isinstance(standing.testbed, RouterOSTestbed)
    return standing.testbed


def test_to_disable_the_rule_is_not_enough(
    tasks: Tasks, standing: tuple[RouterOSTaskLab, Device]
) -> None:
    found, device = standing
    task = tasks.task("take-it-back")
    on = its_testbed(found)
    (hand,) = on.hands.values()
    fast = [row["fasttrack"] for row in device.tree.items(CONNECTIONS).values()]
    assert fast == ["true"]
    hand.run("/ip/firewall/filter disable [find where action=fasttrack-connection]", "here")
    findings = {finding.says: finding.state for finding in on.check(task)}
    assert findings["No rule marks connections"] == "pass"
    assert findings["No open connection is marked"] == "fail"
    assert findings["The firewall sees every packet"] == "fail"
    hand.run("/ip/firewall/connection remove [find where fasttrack=yes]", "here")
    assert verdict(on.check(task)) == "pass"


def test_none_of_its_checks_only_warns(tasks: Tasks) -> None:
    side = tasks.task("take-it-back").routeros
    assert all(check.fail for check in side.check)  # type: ignore[union-attr]


def test_connections_of_somebody_else_stay(
    tasks: Tasks, standing: tuple[RouterOSTaskLab, Device]
) -> None:
    """The one by which we ask is in the table too; putting back removes no connection."""
    found, device = standing
    device.tree.put(CONNECTIONS, {"src-address": "192.0.2.9:40000", "fasttrack": "false"})
    assert found.end() == []
    left = [row["src-address"] for row in device.tree.items(CONNECTIONS).values()]
    assert "192.0.2.9:40000" in left
