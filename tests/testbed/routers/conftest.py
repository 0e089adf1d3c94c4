"""A RouterOS device that is a double, and a router of ours on it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import Condition, Lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import api, changes
from ppslab.testbed.routers.routeros.router import RouterOSRouter
from tests.support.doubles.routeros_rest import Device, Server

PASSWORD = "correct horse battery staple"

State = tuple[dict[str, Any], dict[str, Any]]


def configuration(device: Device) -> State:
    """What the device is configured to: what follows from it (`...-active`) is left out."""
    lists = {menu: rows for menu, rows in device.tree.lists.items() if rows}
    singles = {
        menu: {key: value for key, value in row.items() if "active" not in key}
        for menu, row in device.tree.singles.items()
    }
    return copy.deepcopy((lists, singles))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_PAUSE", 0.02)
    monkeypatch.setattr(changes, "_PAUSE", 0.02)
    monkeypatch.setattr(changes, "MADE_WITHIN", 0.0)


@pytest.fixture
def device() -> Device:
    return Device(
        password=PASSWORD,
        version="7.20.8 (long-term)",
        level="p-unlimited",
        interfaces=tuple(f"ether{number}" for number in range(1, 8)),
    )


@pytest.fixture
def server(device: Device) -> Iterator[Server]:
    with Server(device) as listening:
        yield listening


@pytest.fixture
def fastpath() -> Lab:
    return labs.find("fastpath")


Make = Callable[..., RouterOSRouter]


def router_on(server: Server, lab: Lab, place: Path, **words: Any) -> RouterOSRouter:
    """A router on a device: it is not open yet."""
    login = RouterOS(url=server.url, password=SecretStr(words.pop("password", PASSWORD)))
    return RouterOSRouter(login, lab, **{"ports": {}, "backup": False, "journal": place, **words})


def stand(router: RouterOSRouter, condition: Condition) -> None:
    """Bring the router into a condition, and see that it is in it."""
    router.apply(condition)
    assert router.read_back(condition).problems == (), condition.name


@pytest.fixture
def make(server: Server, fastpath: Lab, tmp_path: Path) -> Make:
    """A router on the device."""

    def made(lab: Lab = fastpath, **words: Any) -> RouterOSRouter:
        return router_on(server, lab, tmp_path / "router.journal", **words)

    return made


def routers() -> list[tuple[str, str]]:
    """Every router node of every lab."""
    return [
        (name, node)
        for name in labs.names()
        for words in [labs.find(name).spec]
        for node in sorted({words.router}.union(*words.routeros_nodes.values()))
    ]


def lab_of(folder: Path, script: str, **more: str) -> Lab:
    """A lab with two ports and the condition `c` of a script; more conditions by their scripts."""
    (folder / "routeros").mkdir(parents=True)
    scripts = {"c": script, **more}
    conditions = ""
    for name, text in scripts.items():
        (folder / "routeros" / f"{name}.rsc").write_text(text)
        conditions += (
            f"  - {{name: {name}, title: {name}, flows: f, routeros: [routeros/{name}.rsc]}}\n"
        )
    (folder / "lab.yml").write_text(
        "title: Made up\ntopology: fastpath\nrouter: dut\ntester: tester\n"
        "ports: {p1: eth1, p2: eth2}\nframe_sizes: [64]\nreference: c\n"
        "flows:\n  f:\n    - name: r12\n      tx_name: p1\n      rx_name: p2\n      packet:\n"
        '        - ethernet: {src: "02:00:c6:12:01:02", dst: "02:00:c6:12:01:01"}\n'
        "        - ipv4: {src: 198.18.1.2, dst: 198.18.2.2}\n"
        "        - udp: {src_port: 100, dst_port: 200}\n"
        f"conditions:\n{conditions}"
    )
    return labs.load(folder)
