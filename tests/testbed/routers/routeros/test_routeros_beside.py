"""Routers beside the router under test are configured, read and put back too."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from ppslab.core.errors import UsageError
from ppslab.model.lab import lab as labs
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.router import RouterOSRouter
from tests.support.doubles.routeros_rest import Device, Server
from tests.testbed.routers.conftest import PASSWORD, configuration


@pytest.mark.long
def test_routers_beside_it_are_configured_read_and_put_back_too(tmp_path: Path) -> None:
    lab = labs.find("pppoe")
    ports = ("ether1", "ether2", "ether3", "ether4")
    devices = {
        name: Device(password=PASSWORD, version="7.20.8", interfaces=ports)
        for name in ("server", "client")
    }
    before = {name: configuration(device) for name, device in devices.items()}
    condition = lab.conditions["many"]
    with Server(devices["server"]) as server, Server(devices["client"]) as client:

        def router(url: str, name: str, **more: object) -> RouterOSRouter:
            login = RouterOS(url=url, password=SecretStr(PASSWORD))
            place = tmp_path / f"{name}.journal"
            return RouterOSRouter(login, lab, ports={}, journal=place, backup=False, **more)  # type: ignore[arg-type]

        beside = router(client.url, "client", role="client")
        with router(server.url, "server", others={"client": beside}) as whole:
            whole.apply(condition)
            read = whole.read_back(condition)
            assert read.problems == ()
            assert "# router client" in read.text
            assert len(devices["client"].tree.items("/interface/pppoe-client")) == 4 + 8
            assert not devices["server"].tree.items("/interface/pppoe-client")
            assert "client jumbo-link rx-packet" in whole.counters(condition)
            devices["client"].tree.items("/interface/pppoe-client").clear()
            assert any(said.startswith("router client: labs/pppoe/") for said in
                       whole.read_back(condition).problems)  # fmt: skip
            assert whole.facts()["client"]["ports"]["jumbo-link"] == "ether4"
    assert {name: configuration(device) for name, device in devices.items()} == before


def test_of_two_routers_one_that_is_not_there_leaves_the_other_as_it_was(tmp_path: Path) -> None:
    lab = labs.find("pppoe")
    device = Device(password=PASSWORD, interfaces=("ether1", "ether2", "ether3", "ether4"))
    before = configuration(device)
    with Server(device) as server:
        login = RouterOS(url=server.url, password=SecretStr(PASSWORD))
        wrong = RouterOS(url=server.url, password=SecretStr("wrong"))
        beside = RouterOSRouter(
            wrong, lab, ports={}, journal=tmp_path / "b", backup=False, role="client"
        )
        router = RouterOSRouter(
            login, lab, ports={}, journal=tmp_path / "a", backup=False, others={"client": beside}
        )
        with pytest.raises(UsageError, match="refuses this user"):
            router.open()
    assert configuration(device) == before
    assert not list(tmp_path.iterdir())
