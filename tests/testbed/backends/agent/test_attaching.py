"""What a backend knows again of a guest that another command left running."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.model.lab import lab, topology
from ppslab.testbed.backends import attach, registry
from ppslab.testbed.backends.agent.client import Client

pytestmark = pytest.mark.live


def test_a_guest_that_another_command_left_still_has_its_cards(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deployed anew without them, a lab of two sockets got virtual wires in their place."""

    class Agent:
        def call(self, operation: str, **_: object) -> dict[str, object]:
            return {"cpus": 4} if operation == "facts" else {}

        def close(self) -> None:
            pass

    monkeypatch.setattr(Client, "over_socket", lambda path: Agent())
    machine = lab.find("numa").spec.machine
    assert machine is not None
    left = registry.register("vm", detached=True, socket="unused")
    left.machine = machine.model_dump(mode="json")
    left.save()
    entry = next(each for each in registry.entries() if each.name == left.name)
    with attach(entry) as again:
        told = again._plain(topology.find("numa"), "numa")
    assert [len(link["cards"]) for link in told["links"]] == [2, 2, 2, 2]
    assert told["links"][0]["cards"][0]["cpu"] == machine.cards["numa"]["tester:eth1"].cpu
