"""What containerlab, docker and routers answer, read: addresses, states, names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ppslab.testbed.backends.containerlab.steps import (
    addresses,
    all_run,
    answered_twice,
    failed_execs,
)
from tests.testbed.backends.containerlab.doubled import HALF

pytestmark = pytest.mark.live


class TestReading:
    """What containerlab's documentation shows (https://containerlab.dev/cmd/inspect/)."""

    ROW: dict[str, Any] = {  # noqa: RUF012
        "lab_name": "vlan",
        "name": "clab-vlan-client1",
        "image": "ghcr.io/srl-labs/alpine",
        "kind": "linux",
        "state": "running",
        "status": "Up 4 hours",
        "ipv4_address": "172.20.20.4/24",
        "ipv6_address": "3fff:172:20:20::4/64",
    }

    def missing(self, healthy: bool = False, **changed: str) -> str:
        said = json.dumps({"vlan": [{**self.ROW, **changed}]})
        name = "clab-vlan-client1"
        return all_run(said, "vlan", {name: "client1"}, {name} if healthy else set())

    def test_all_run(self) -> None:
        assert self.missing() == ""
        assert self.missing(healthy=True, status="healthy") == ""
        assert self.missing(state="exited") == "node client1: exited"
        assert self.missing(True, status="health: starting") == "node client1: health: starting"
        assert self.missing(healthy=True) == "node client1: Up 4 hours"
        assert self.missing(name="another") == "node client1: no container clab-vlan-client1"
        assert "containerlab inspect" in all_run("no JSON", "vlan", {}, set())
        assert all_run("{}", "vlan", {"c": "n"}, set()) == "node n: no container c"

    def test_addresses(self) -> None:
        both = {"vlan": [self.ROW, {**self.ROW, "name": "b", "ipv4_address": "N/A"}]}
        none = {**self.ROW, "name": "c", "ipv4_address": "N/A", "ipv6_address": "N/A"}
        both["vlan"].append(none)
        assert addresses(json.dumps(both), "vlan") == {
            "clab-vlan-client1": "172.20.20.4",
            "b": "3fff:172:20:20::4",
        }

    def test_an_exec_that_failed(self) -> None:
        log = (
            "14:00:01 INFO Executed command node=a\n14:00:02 ERRO Failed to execute command rc=2\n"
        )
        assert failed_execs(log) == ["14:00:02 ERRO Failed to execute command rc=2"]

    def test_twice_in_turn(self) -> None:
        missing = answered_twice("")
        assert [bool(missing(said)) for said in ("", HALF, "[]", HALF, HALF)] == [True] * 4 + [
            False
        ]
