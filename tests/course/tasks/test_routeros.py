"""Tasks on RouterOS: what is made outlives a command and is put back by another; answers judged.

What FastTrack has taken stays with it: Packet Flow in RouterOS, FastTrack (read 2026-08-09), "The
connection is FastTracked until a connection is closed, timed out or the router is rebooted."
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pydantic import SecretStr

from ppslab.core.errors import UsageError
from ppslab.course.tasks import reading
from ppslab.course.tasks.checks import Finding, verdict
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import RouterOSTestbed
from ppslab.course.tasks.testbeds import RouterOSTaskLab, Where
from ppslab.course.tasks.walking import Walk
from ppslab.model.lab import lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import api
from ppslab.testbed.routers.routeros.api import Api
from rosexplain.base import rules
from tests.course.tasks.proving import PASSWORD, routers, tasks_of
from tests.support.doubles.routeros_rest import Device, Server
from tests.testbed.routers.conftest import configuration

# --- on a router of one's own --------------------------------------------------------------------

FILTER = "/ip/firewall/filter"


@pytest.fixture
def device() -> Device:
    made = Device(
        password=PASSWORD,
        version="7.20.8 (long-term)",
        level="p-unlimited",
        interfaces=tuple(f"ether{number}" for number in range(1, 8)),
    )
    return made


@pytest.fixture
def learner(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """The tasks as a new command finds them, and the router as a learner reaches it."""
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("PPSLAB_DUT_PASSWORD", PASSWORD)
    with Server(device) as server:
        inventory = tmp_path / "inventory.yml"
        inventory.write_text(
            f"routeros:\n  url: {server.url}\n  ports: {{p1: ether3, p2: ether4, p3: ether5}}\n"
            "tester:\n  ports: {p1: nic1, p2: nic2, p3: nic3}\n"
        )
        tasks = reading.load(lab.find("fastpath"))

        def command(isolated: bool = False) -> Walk:
            return Walk(tasks, Where("routeros", dut=inventory, isolated=isolated))

        there = Api(RouterOS(url=server.url, password=SecretStr(PASSWORD)))
        yield command, there
        there.close()


@pytest.mark.long
def test_what_is_made_outlives_a_command_and_is_put_back(learner, device: Device) -> None:  # type: ignore[no-untyped-def]
    command, there = learner
    before = configuration(device)
    command().start("right-order")
    assert [row["action"] for row in there.rows(FILTER)] == ["accept", "drop"]
    assert "ether3" not in [row["name"] for row in there.rows("/interface/ethernet")]
    assert command().check().exit_code == 1

    # The learner takes the rule away, and makes it anew in front of the other.
    accept, drop = there.rows(FILTER)
    there.remove(FILTER, drop[".id"])
    words = {"chain": "forward", "dst-address": "198.18.3.0/24", "action": "drop"}
    there.add(FILTER, {**words, "place-before": accept[".id"], "comment": "mine"})
    there.set_settings("/ip/settings", {"allow-fast-path": "no"})
    assert command().check().exit_code == 0

    # Back to how the task found it: what the learner made goes, and is told.
    _, told = command().reset()
    assert any("comment=mine" in sentence for sentence in told)
    assert [row["action"] for row in there.rows(FILTER)] == ["accept", "drop"]
    assert there.settings("/ip/settings")["allow-fast-path"] == "true"
    command().solve()
    assert command().check().exit_code == 0

    # Another task, then the end: the router is as it was before the first.
    command().start("full-frames")
    assert there.rows(FILTER) == [], "its state has no rule"
    assert command().end() == []
    assert configuration(device) == before


def test_packets_are_sent_to_an_isolated_network_only(learner) -> None:  # type: ignore[no-untyped-def]
    command, _ = learner
    command().start("open-it")
    with pytest.raises(UsageError, match="say --isolated"):
        command().send()


def test_a_lab_of_several_routers_is_none_for_a_bench(learner, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command, _ = learner
    eoip = reading.load(lab.find("eoip"))
    with pytest.raises(UsageError, match="r2"):
        Walk(eoip, command().where).start()


# --- what FastTrack has taken stays with it -----------------------------------------------------

CONNECTIONS = "/ip/firewall/connection"


@pytest.fixture
def tasks() -> Tasks:
    return tasks_of("fasttrack")


@pytest.fixture
def fasttracked(
    tasks: Tasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[RouterOSTaskLab, Device]]:
    """The lab's router when FastTrack has taken connections."""
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    with ExitStack() as stack:
        standing, devices = routers(stack, tasks, tmp_path)
        standing.restore("fasttrack")
        device = devices[tasks.lab.spec.router]
        device.carry("p1", "p2", 100, 128)
        yield standing, device


def its_testbed(standing: RouterOSTaskLab) -> RouterOSTestbed:
    assert isinstance(standing.testbed, RouterOSTestbed)
    return standing.testbed


def test_to_disable_the_rule_is_not_enough(
    tasks: Tasks, fasttracked: tuple[RouterOSTaskLab, Device]
) -> None:
    standing, device = fasttracked
    task = tasks.task("take-it-back")
    on = its_testbed(standing)
    (hand,) = on.hands.values()
    fast = [row["fasttrack"] for row in device.tree.items(CONNECTIONS).values()]
    assert fast == ["true"]
    hand.run("/ip/firewall/filter disable [find where action=fasttrack-connection]", "here")
    states = [finding.state for finding in on.check(task)]
    assert "pass" in states and states.count("fail") == 2
    hand.run("/ip/firewall/connection remove [find where fasttrack=yes]", "here")
    assert verdict(on.check(task)) == "pass"


def test_connections_of_somebody_else_stay(
    tasks: Tasks, fasttracked: tuple[RouterOSTaskLab, Device]
) -> None:
    """The one by which we ask is in the table too; putting back removes no connection."""
    standing, device = fasttracked
    device.tree.put(CONNECTIONS, {"src-address": "192.0.2.9:40000", "fasttrack": "false"})
    assert standing.end() == []
    left = [row["src-address"] for row in device.tree.items(CONNECTIONS).values()]
    assert "192.0.2.9:40000" in left


# --- every answer that RouterOS's documents propose, and none that does half ----------------------

AHEAD = "place-before=[find where action=fasttrack-connection]"
BY_ADDRESS = "src-address=198.18.1.0/24 dst-address=203.0.113.0/24"
KNOWN = "connection-state=established,related"
FROM, TO = f"src-address=198.18.1.3 {KNOWN}", f"dst-address=198.18.1.3 {KNOWN}"
IN, OUT = "ipsec-policy=in,ipsec", "ipsec-policy=out,ipsec"
BACK_BY_ADDRESS = "src-address=203.0.113.0/24 dst-address=198.18.1.0/24"


def accepting(*matchers: str) -> str:
    return "".join(
        f"/ip/firewall/filter/add chain=forward action=accept {each} {AHEAD}\n" for each in matchers
    )


def remedy_of_explain() -> str:
    lines = rules()["fasttrack-and-ipsec"]["remedy"]
    return "".join(line.replace("{ahead}", AHEAD) + "\n" for line in lines)


def tree(mark: str) -> str:
    return set_queue("out", f"parent=p2{mark}")


def set_queue(name: str, words: str) -> str:
    return f"/queue/tree set [find where name={name}] {words}\n"


def shaped(words: str) -> str:
    return f"/queue/tree add name=upload parent=p2 {words}\n"


def promised(rate: str) -> str:
    return "".join(set_queue(name, f"limit-at={rate}") for name in ("c1", "c2"))


@pytest.mark.parametrize(
    ("lab", "name", "answer", "expected"),
    [
        ("fasttrack", "ipsec", "", "fail"),
        (
            "fasttrack",
            "ipsec",
            accepting(f"{KNOWN} {BY_ADDRESS}", f"{KNOWN} {BACK_BY_ADDRESS}"),
            "pass",
        ),
        (
            "fasttrack",
            "ipsec",
            accepting(IN, OUT),
            "pass",
        ),
        ("fasttrack", "ipsec", remedy_of_explain(), "pass"),
        ("fasttrack", "ipsec", accepting(f"{KNOWN} {BY_ADDRESS}", IN), "pass"),
        ("fasttrack", "ipsec", accepting(f"{BY_ADDRESS} {OUT}", f"{BACK_BY_ADDRESS} {IN}"), "pass"),
        ("fasttrack", "ipsec", accepting(IN), "fail"),
        ("fasttrack", "ipsec", accepting("ipsec-policy=in,none", "ipsec-policy=out,none"), "fail"),
        ("fasttrack", "keep-one-out", "", "fail"),
        ("fasttrack", "keep-one-out", accepting(FROM, TO), "pass"),
        ("fasttrack", "keep-one-out", accepting(FROM, f"{TO},untracked"), "pass"),
        ("queues", "behind-fasttrack", tree(""), "pass"),
        ("queues", "behind-fasttrack", tree(" packet-mark=no-mark"), "pass"),
        ("queues", "behind-fasttrack", tree(" packet-mark=customers"), "fail"),
        ("queues", "calls-stutter", shaped("queue=fair max-limit=9500k"), "pass"),
        ("queues", "calls-stutter", shaped("queue=fair max-limit=9400000"), "pass"),
        ("queues", "calls-stutter", shaped("queue=fair max-limit=10M"), "fail"),
        ("queues", "calls-stutter", shaped("max-limit=9M"), "fail"),
        ("queues", "download-lags", set_queue("download", "parent=p1 packet-mark=no-mark"), "pass"),
        ("queues", "download-lags", set_queue("download", "packet-mark=no-mark"), "fail"),
        ("queues", "more-than-the-line", promised("900k"), "pass"),
        ("queues", "more-than-the-line", promised("1500k"), "fail"),
        ("queues", "more-than-the-line", set_queue("line", "max-limit=4M"), "fail"),
    ],
)
def test_an_answer_is_judged_by_what_it_does(
    lab: str, name: str, answer: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    assert verdict(judged(lab, name, answer, tmp_path)) == expected


@pytest.mark.parametrize(
    ("name", "answer", "wrong"),
    [
        (
            "keep-one-out",
            accepting("src-address=198.18.1.3", "dst-address=198.18.1.3"),
            "No rule for the client accepts new packets",
        ),
        (
            "keep-one-out",
            accepting(FROM, f"{TO},new"),
            "No rule for the client accepts new packets",
        ),
        (
            "keep-one-out",
            accepting(FROM, "connection-state=!invalid dst-address=198.18.1.3"),
            "No rule for the client accepts new packets",
        ),
        (
            "keep-one-out",
            accepting(FROM),
            "Packets to the client are accepted before the FastTrack rule too",
        ),
        (
            "ipsec",
            accepting(BY_ADDRESS, BACK_BY_ADDRESS),
            "No rule for the two networks accepts new packets",
        ),
        (
            "ipsec",
            accepting(f"{KNOWN} {BY_ADDRESS}", BACK_BY_ADDRESS),
            "No rule for the two networks accepts new packets",
        ),
    ],
)
def test_a_wrong_rule_fails_by_one_check_alone(
    name: str, answer: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    found = judged("fasttrack", name, answer, tmp_path)
    assert [finding.says for finding in found if finding.state == "fail"] == [wrong]


def judged(lab: str, name: str, answer: str, folder: Path) -> list[Finding]:
    """What the checks of a task find when a learner has typed `answer`."""
    tasks = tasks_of(lab)
    task = tasks.task(name)
    with ExitStack() as stack:
        standing, _ = routers(stack, tasks, folder)
        standing.restore(tasks.condition(task, "routeros"))
        for each in tasks.before(task, "routeros"):
            standing.testbed.begin(each)
            standing.testbed.solve(each)
        testbed = standing.testbed
        assert isinstance(testbed, RouterOSTestbed)
        testbed.begin(task)
        (hand,) = testbed.hands.values()
        hand.run(answer, "an answer")
        return testbed.check(task)
