"""A task takes every answer that RouterOS's own documents propose, and none that does half."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.course.tasks.checks import verdict
from ppslab.course.tasks.routeros import RouterOSTestbed
from ppslab.model.packet_path import rules
from ppslab.testbed.routers.routeros import api
from tests.course.tasks.doubles import routers
from tests.course.tasks.proving import tasks_of

AHEAD = "place-before=[find where action=fasttrack-connection]"
BY_ADDRESS = "src-address=198.18.1.0/24 dst-address=203.0.113.0/24"
IN, OUT = "ipsec-policy=in,ipsec", "ipsec-policy=out,ipsec"
BACK_BY_ADDRESS = "src-address=203.0.113.0/24 dst-address=198.18.1.0/24"


def accepting(*matchers: str) -> str:
    return "".join(
        f"/ip/firewall/filter/add chain=forward action=accept {each} {AHEAD}\n" for each in matchers
    )


def remedy_of_explain() -> str:
    lines = rules.load().rules["fasttrack-and-ipsec"].rule.remedy
    return "".join(line.replace("{ahead}", AHEAD) + "\n" for line in lines)


def tree(mark: str) -> str:
    return f"/queue/tree set [find where name=out] parent=p2{mark}\n"


@pytest.mark.parametrize(
    ("lab", "name", "answer", "expected"),
    [
        ("fasttrack", "ipsec", accepting(BY_ADDRESS, BACK_BY_ADDRESS), "pass"),
        (
            "fasttrack",
            "ipsec",
            accepting(IN, OUT),
            "pass",
        ),
        ("fasttrack", "ipsec", remedy_of_explain(), "pass"),
        ("fasttrack", "ipsec", accepting(BY_ADDRESS, IN), "pass"),
        ("fasttrack", "ipsec", accepting(IN), "fail"),
        ("fasttrack", "ipsec", accepting("ipsec-policy=in,none", "ipsec-policy=out,none"), "fail"),
        ("queues", "behind-fasttrack", tree(""), "pass"),
        ("queues", "behind-fasttrack", tree(" packet-mark=no-mark"), "pass"),
        ("queues", "behind-fasttrack", tree(" packet-mark=customers"), "fail"),
    ],
)
def test_an_answer_is_judged_by_what_it_does(
    lab: str, name: str, answer: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    tasks = tasks_of(lab)
    task = tasks.task(name)
    with ExitStack() as stack:
        standing, _ = routers(stack, tasks, tmp_path)
        standing.restore(tasks.condition(task, "routeros"))
        for each in tasks.before(task, "routeros"):
            standing.testbed.begin(each)
            standing.testbed.solve(each)
        testbed = standing.testbed
        assert isinstance(testbed, RouterOSTestbed)
        testbed.begin(task)
        (hand,) = testbed.hands.values()
        hand.run(answer, "an answer")
        assert verdict(testbed.check(task)) == expected
