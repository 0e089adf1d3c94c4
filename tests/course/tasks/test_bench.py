"""Tasks on a router of one's own: what is made outlives a command, and is put back by another."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from ppslab.core.errors import UsageError
from ppslab.course.tasks import reading
from ppslab.course.tasks.testbeds import Where
from ppslab.course.tasks.walking import Walk
from ppslab.model.lab import lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import api
from ppslab.testbed.routers.routeros.api import Api
from tests.support.doubles.routeros_rest import Device, Server
from tests.testbed.routers.conftest import configuration

PASSWORD = "correct horse"
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
    with pytest.raises(UsageError, match="has core, r2 beside its router r1"):
        Walk(eoip, command().where).start()
