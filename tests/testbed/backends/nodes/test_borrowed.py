"""Interfaces of the machine in a node: which may be lent, and back as they were, however it ends.

The machine is a network namespace of the test's own, its interfaces are ends of veth pairs.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import processes
from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends import Backend, Borrow, registry
from tests.support.waiting import PATIENCE, until
from tests.testbed.backends.conftest import LONE, Write

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may lend interfaces"),
]


PROGRAM = """
import sys, time
from ppslab.model.lab import topology
from ppslab.testbed.backends import Borrow, open_backend, registry
registry.sweep()
lent = [Borrow("n", f"eth{n}", f"port{n}", 9198) for n in (1, 2)]
with open_backend("namespaces") as backend, \\
        backend.deploy(topology.load(sys.argv[1]), borrow=lent) as lab:
    seen = lab.node("n").run(["ip", "-j", "link"]).stdout
    features = lab.node("n").run(["ethtool", "-k", "eth1"]).stdout
    print(backend.entry.agent_pid, flush=True)
    print(seen.strip(), flush=True)
    print("tso on" if "tcp-segmentation-offload: on" in features else "tso off", flush=True)
    {work}
"""
WORK = {
    "ends": "pass",
    "works": 'lab.node("n").run(["sleep", "60"])',
    "fails": 'raise SystemExit("as the test wants")',
}


@pytest.fixture
def home() -> Iterator[str]:
    """A machine with port1 (up, MTU 1500) and port2 (down, MTU 2000), each with its peer."""
    name = f"ppslab-t-{secrets.token_hex(3)}"
    ip = ["ip", "-n", name]
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        for line in (
            "link add port1 address 02:00:00:00:01:01 type veth peer name far1",
            "link add port2 mtu 2000 address 02:00:00:00:01:02 type veth peer name far2",
            "link set port1 up",
            "link set far1 up",
            "link set lo up",
        ):
            subprocess.run([*ip, *line.split()], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def inside(home: str, *argv: str) -> str:
    done = subprocess.run(
        ["ip", "netns", "exec", home, *argv], capture_output=True, text=True, check=True
    )
    return done.stdout


def ports(home: str) -> dict[str, Any]:
    """What the machine's ports are: up or not, MTU, MAC address, offloads."""
    found = {}
    for link in json.loads(inside(home, "ip", "-j", "link")):
        if link["ifname"].startswith("port"):
            offloads = inside(home, "ethtool", "-k", link["ifname"])
            flags = "UP" in link["flags"]
            found[link["ifname"]] = (flags, link["mtu"], link["address"], offloads)
    return found


def started(home: str, tmp_path: Path, work: str) -> tuple[subprocess.Popen[str], int, str, str]:
    """The program at work in that machine; its agent, the node's links, TSO there."""
    path = tmp_path / "t.clab.yml"
    path.write_text(LONE)
    process = subprocess.Popen(
        ["ip", "netns", "exec", home, sys.executable, "-c", PROGRAM.replace("{work}", WORK[work]),
         str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd=Path(__file__).parents[4], start_new_session=True,
    )  # fmt: skip
    assert process.stdout
    agent = int(process.stdout.readline())
    return process, agent, process.stdout.readline(), process.stdout.readline().strip()


@pytest.mark.parametrize(
    ("work", "number"),
    [
        ("ends", None),
        ("fails", None),
        ("works", signal.SIGINT),
        ("works", signal.SIGTERM),
        ("works", signal.SIGKILL),
    ],
)
def test_interfaces_come_back_as_they_were(
    home: str, tmp_path: Path, work: str, number: signal.Signals | None
) -> None:
    before = ports(home)
    process, agent, links, tso = started(home, tmp_path, work)
    there = {link["ifname"]: link for link in json.loads(links)}
    assert {there[name]["mtu"] for name in ("eth1", "eth2")} == {9198}
    assert there["eth1"]["address"] == "02:00:00:00:01:01"
    assert tso == "tso off", "an offload would count several frames as one"
    if number is not None:
        assert "port1" not in ports(home)
        process.send_signal(number)
    process.wait(PATIENCE)
    until(lambda: processes.start_time(agent) is None, "the agent's end")
    assert ports(home) == before
    assert not list(registry.folder().glob(f"*{registry.BORROWED}"))


def test_what_the_kernel_gave_back_is_put_right(home: str) -> None:
    """As after a kill of agent and all: the interface is home, down, under the node's name."""
    before = ports(home)
    kernels = ["tx-tcp-segmentation", "tx-generic-segmentation", "rx-gro"]
    lent = {
        "name": "port1", "mac": "02:00:00:00:01:01", "mtu": 1500, "up": True, "features": kernels,
    }  # fmt: skip
    for line in ("set port1 down", "set port1 name eth1", "set eth1 mtu 9198"):
        inside(home, "ip", "link", *line.split())
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    file = registry.folder() / f"0123abcd.run{registry.BORROWED}"
    file.write_text(json.dumps({"boot": boot, "interfaces": [lent]}))
    sweep = "from ppslab.testbed.backends import registry; registry.sweep()"
    inside(home, sys.executable, "-c", sweep)
    up, mtu, mac, _ = ports(home)["port1"]
    assert (up, mtu, mac) == before["port1"][:3]
    assert not file.exists()


def test_what_comes_back_later_is_waited_for(home: str) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    gone = {"name": "port9", "mac": "02:00:00:00:09:09", "mtu": 1500, "up": True, "features": []}
    file = registry.folder() / f"0123abcd.run{registry.BORROWED}"
    file.write_text(json.dumps({"boot": boot, "interfaces": [gone]}))
    registry.sweep()
    assert file.exists(), "the kernel takes namespaces down later"
    long_ago = file.stat().st_mtime - 3600
    os.utime(file, (long_ago, long_ago))
    registry.sweep()
    assert not file.exists(), "an interface without hardware does not come back"
    file.write_text(json.dumps({"boot": "another", "interfaces": [gone]}))
    registry.sweep()
    assert not file.exists(), "after a boot nothing is to be put right"


def test_what_cannot_be_lent(
    backend: Backend, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [Borrow("n", "eth1", "no-such-port", 1500)]
    with pytest.raises(Exception, match=r"node n: interface no-such-port .*No such device"):
        backend.deploy(write(LONE), borrow=wanted)
    assert not list(registry.folder().glob(f"*{registry.BORROWED}"))
    monkeypatch.setitem(backend.facts, "user_namespace", True)
    with pytest.raises(CannotHereError, match="only root"):
        backend.deploy(write(LONE), borrow=wanted)
    monkeypatch.setattr(backend, "name", "vm")
    with pytest.raises(CannotHereError):
        backend.deploy(write(LONE), borrow=wanted)


# --- which interfaces a test may have -------------------------------------------------------------


LOOK = """
import json, sys
from ppslab.testbed.backends.nodes import interfaces
from ppslab.core.errors import UsageError
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = interfaces.look(name).used_by
    except UsageError as error:
        found[name] = str(error)
print(json.dumps(found))
"""

MACHINE = """\
link add free type veth peer name other
link add addressed type veth peer name a1
link add bridged type veth peer name b1
link add carrying type veth peer name t1
link add routed type veth peer name r1
link add br9 type bridge
link set bridged master br9
link add link carrying name upon9 type macvlan
address add 192.0.2.5/24 dev addressed
link set routed up
link set r1 up
route add 192.0.2.128/25 dev routed
"""


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, str]]:
    name = f"ppslab-t-{secrets.token_hex(3)}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "-batch", "-"], input=MACHINE, text=True, check=True)
        asked = ["free", "other", "addressed", "bridged", "carrying", "routed", "lo", "adressed"]
        said = subprocess.run(
            ["ip", "netns", "exec", name, sys.executable, "-c", LOOK, *asked],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        yield json.loads(said.stdout)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("free", None),
        ("other", None),
        ("addressed", "192.0.2.5/24"),
        ("bridged", "br9"),
        ("carrying", "upon9"),
        ("routed", "192.0.2.128/25"),
        ("lo", "Ethernet"),
        ("adressed", '"addressed"'),
    ],
)
def test_what_is_in_use_is_left_alone(found: dict[str, str], name: str, why: str | None) -> None:
    assert why in found[name] if why else not found[name]
