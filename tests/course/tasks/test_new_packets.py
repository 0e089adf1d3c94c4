"""A rule without a connection state in front of FastTrack lets new packets in: seen on a router.

The flowtable has no part in it, so that every kernel with nftables will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from ppslab.course.tasks.checks import Finding
from ppslab.course.tasks.schema import LinuxSide, Task
from ppslab.course.tasks.testbeds import TaskLab
from ppslab.testbed.backends import capabilities
from tests.conftest import Opened
from tests.course.tasks.proving import tasks_of

pytestmark = pytest.mark.live

TASKS = tasks_of("fasttrack")
NEEDS = {"nft", "conntrack", "htb"}
SEES = "New connections from outside still do not reach 198.18.1.3"

DROP = 'iifname "eth2" ip daddr 198.18.1.3 ct state new counter drop'


def chain(*rules: str) -> str:
    lines = "\n".join(f"add rule inet filter forward {rule}" for rule in rules)
    return f"nft -f - <<'END'\nflush chain inet filter forward\n{lines}\nEND\nconntrack -F 2>&1\n"


def of_client(state: str) -> list[str]:
    return [f"ip {way} 198.18.1.3 {state} counter accept" for way in ("saddr", "daddr")]


def only_that_check() -> Task:
    task = TASKS.task("keep-one-out")
    assert isinstance(task.linux, LinuxSide)
    (check,) = [each for each in task.linux.check if each.says == SEES]
    return task.model_copy(update={"linux": task.linux.model_copy(update={"check": (check,)})})


@pytest.fixture(scope="module")
def standing(opened: Opened) -> Iterator[TaskLab]:
    if not (capabilities.features_of("namespaces") >= NEEDS):
        pytest.skip("this kernel has no nftables, connection tracking or HTB here")
    found = TaskLab(TASKS, opened("namespaces"), "state")
    found.restore("rules")
    found.testbed.begin(TASKS.task("keep-one-out"))
    yield found
    found.remove()


@pytest.mark.parametrize(
    ("rules", "state"),
    [
        ((), "pass"),
        (of_client("ct state established,related"), "pass"),
        (of_client(""), "fail"),
        (of_client("ct state != invalid"), "fail"),
    ],
)
def test_new_packets_reach_the_client_where_a_rule_has_no_state(
    rules: Sequence[str], state: str, standing: TaskLab
) -> None:
    testbed = standing.testbed
    testbed.deployment.node("dut").run(["sh", "-e"], input=chain(*rules, DROP))
    (found,) = testbed.check(only_that_check())
    assert isinstance(found, Finding)
    assert found.state == state, found.shown
    assert state == "pass" or found.said.startswith("New connections from port 2 reach the client.")


def test_without_the_rule_that_drops_them_they_reach_it_too(standing: TaskLab) -> None:
    testbed = standing.testbed
    testbed.deployment.node("dut").run(["sh", "-e"], input=chain("ct state invalid counter drop"))
    (found,) = testbed.check(only_that_check())
    assert found.state == "fail"
