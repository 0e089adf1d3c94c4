"""A RouterOS router on a bench, from the command line: its REST side is a double, its forwarding a
Linux namespace behind it.  The reader's machine is a namespace too, its interfaces veth pairs.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from ppslab.model import results
from ppslab.testbed.backends import capabilities
from ppslab.testbed.backends.nodes import kernel
from tests.cli.conftest import PPSLAB, ROOT, environment
from tests.support.doubles.routeros_rest import Device, Server
from tests.support.waiting import PATIENCE, until
from tests.testbed.routers.conftest import configuration

PASSWORD = "correct horse battery staple"

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may lend interfaces to a namespace"),
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="no namespaces here: ppslab doctor"
    ),
]

CONDITIONS = ["--condition", "routing-plain", "--condition", "routing-fast-path", "--size", "64"]


@dataclass
class Stand:
    """The reader's machine `home`, with three ports to the router and two to one another."""

    home: str
    dut: str
    device: Device
    inventory: Path
    folder: Path

    def command(self, *argv: str) -> tuple[list[str], dict[str, str]]:
        told = environment(
            self.folder / "r",
            PPSLAB_ROOT=str(self.folder / "root"),
            PPSLAB_RESULTS=str(self.folder / "results"),
            XDG_STATE_HOME=str(self.folder / "state"),
            PPSLAB_DUT_PASSWORD=PASSWORD,
        )
        whole = ["ip", "netns", "exec", self.home, str(PPSLAB), *argv]
        return [*whole, "--router", "routeros", "--dut", str(self.inventory)], told

    def ppslab(self, *argv: str, **more: str) -> subprocess.CompletedProcess[str]:
        command, told = self.command(*argv)
        return subprocess.run(
            command, env={**told, **more}, capture_output=True, text=True, timeout=5 * PATIENCE,
            check=False, cwd=ROOT,
        )  # fmt: skip

    def ports(self) -> list[str]:
        shown = subprocess.run(
            ["ip", "-n", self.home, "-j", "link"], capture_output=True, text=True, check=True
        )
        links = json.loads(shown.stdout)
        return sorted(
            f"{link['ifname']} {link['mtu']} {'UP' in link['flags']}"
            for link in links
            if link["ifname"] != "lo"
        )

    def has_ports(self, ports: list[str]) -> bool:
        """Whether these are back: while they move, `ip` may be refused."""
        try:
            return self.ports() == ports
        except subprocess.CalledProcessError:
            return False

    def secrets_in_files(self) -> list[Path]:
        return [
            path
            for path in self.folder.rglob("*")
            if path.is_file()
            and not path.is_relative_to(self.folder / "root")
            and PASSWORD.encode() in path.read_bytes()
        ]


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    mark = secrets.token_hex(3)
    home, dut = f"ppslab-h-{mark}", f"ppslab-d-{mark}"
    for name in (home, dut):
        subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        wire(home, dut)
        device = Device(
            password=PASSWORD,
            version="7.20.8 (long-term)",
            level="p-unlimited",
            interfaces=tuple(f"ether{number}" for number in range(1, 9)),
        )
        with listening_in(home, device) as server:
            (tmp_path / "r").mkdir()
            inventory = tmp_path / "inventory.yml"
            inventory.write_text(
                f"routeros:\n  url: {server.url}\n"
                "  ports: {p1: ether6, p2: ether7, p3: ether8}\n"
                "tester:\n  ports: {p1: nic1, p2: nic2, p3: nic3, left: nic4, right: nic5}\n"
            )
            project(tmp_path / "root")
            yield Stand(home, dut, device, inventory, tmp_path)
    finally:
        for name in (home, dut):
            subprocess.run(["ip", "netns", "del", name], check=True)


def wire(home: str, dut: str) -> None:
    """Three wires from `home` to a kernel that forwards as the lab's router would, and a cable."""
    lines = ["link set lo up", "link add nic4 type veth peer name nic5"]
    far = []
    for n in (1, 2, 3):
        lines.append(f"link add nic{n} type veth peer name p{n} netns {dut}")
        far += [
            f"link set p{n} address 02:00:c6:12:0{n}:01 up",
            f"address add 198.18.{n}.1/24 dev p{n}",
            f"neighbour add 198.18.{n}.2 lladdr 02:00:c6:12:0{n}:02 dev p{n} nud permanent",
        ]
    lines.append("link set nic1 up")
    for name, batch in ((home, lines), (dut, far)):
        done = subprocess.run(
            ["ip", "-n", name, "-batch", "-"], input="\n".join(batch), text=True, check=False,
            capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    forwards = ["ip", "netns", "exec", dut, "sysctl", "-qw", "net.ipv4.ip_forward=1"]
    subprocess.run(forwards, check=True)


def listening_in(network: str, device: Device) -> Server:
    """The double, at an address of that namespace: a socket stays where it was made."""
    made: list[Server] = []

    def inside() -> None:
        with Path("/run/netns", network).open() as file:
            kernel.setns(file.fileno(), kernel.CLONE_NEWNET)
            made.append(Server(device))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    return made[0]


def project(root: Path) -> None:
    """The project, its lab with one round instead of a profile's."""
    shutil.copytree(ROOT / "topologies", root / "topologies")
    shutil.copytree(ROOT / "labs" / "fastpath", root / "labs" / "fastpath")
    (root / "_build").symlink_to(ROOT / "_build")
    words = root / "labs" / "fastpath" / "lab.yml"
    text = words.read_text()
    fewer, count = re.subn(
        r"^(    flows: routing)$", r"\1\n    rounds: 1", text, flags=re.MULTILINE
    )
    assert count > 2
    words.write_text(fewer)


def test_nothing_is_sent_to_a_network_that_nobody_calls_isolated(stand: Stand) -> None:
    before = stand.ports()
    done = stand.ppslab("run", "fastpath", *CONDITIONS)
    assert done.returncode == 2
    assert "RFC 6815" in done.stderr and "--isolated" in done.stderr
    ports = ("ether7", "nic2", "02:00:c6:12:01:01", "198.18.1.2")
    for shown in (*ports, "as fast as", r"\d (minutes|s)\b"):
        assert re.search(shown, done.stdout), shown
    dry = stand.ppslab("run", "fastpath", *CONDITIONS, "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "ip link set dev nic1 netns tester name eth1" in dry.stdout
    assert "default-name=ether6" in dry.stdout, "the statements are written for this router"
    assert "/ip/settings/set allow-fast-path=no" in dry.stdout
    assert not stand.device.requests
    assert stand.ports() == before
    assert not (stand.folder / "results").exists()


@pytest.mark.alone
@pytest.mark.weekly
def test_a_killed_run_and_a_whole_one(stand: Stand) -> None:
    configured, ports = configuration(stand.device), stand.ports()

    command, told = stand.command("run", "fastpath", *CONDITIONS, "--isolated", "--no-search")
    process = subprocess.Popen(
        command, env=told, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
    )
    until_trials(process)
    until(lambda: configuration(stand.device) != configured, "the lab's configuration")
    assert len(stand.ports()) == 0, "the interfaces are the tester's"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    until(lambda: stand.has_ports(ports), "the interfaces at home")
    assert configuration(stand.device) != configured, "nobody could put it back"

    done = stand.ppslab("run", "fastpath", *CONDITIONS, "--isolated", "--no-search")
    assert done.returncode == 0, done.stderr
    assert configuration(stand.device) == configured
    assert stand.ports() == ports
    path = next((stand.folder / "results").glob("**/*-bench.json"))
    record = results.load(path)
    jsonschema.validate(json.loads(path.read_text()), results.schema())
    assert record.router["name"] == "routeros" and record.router["cannot_show"]
    assert record.environment["routeros"]["version"] == "7.20.8 (long-term)"
    assert record.baseline == "none"
    costs = [trial for trial in record.trials if trial.purpose == "cost"]
    assert {trial.condition for trial in costs} == {"routing-plain", "routing-fast-path"}
    valid = [trial for trial in costs if trial.valid]
    assert valid, [trial.invalid_because for trial in costs]
    assert all(trial.counts and trial.counts["received"] > 0 for trial in valid)
    assert all(trial.arrangement == "separate" for trial in costs)
    assert "allow-fast-path" in record.conditions[0].read_back
    assert record.tester.back_to_back[64] > 0
    assert not any("virtual" in said or "kernel, not" in said for said in record.deviations)

    backups = list((stand.folder / "state").rglob("*.rsc"))
    assert len(backups) == 2, "each run took one first"
    host = re.search(r"//([^:/]+)", stand.inventory.read_text())
    assert host and host[1] not in path.read_text(), "no address in a record"
    assert not stand.secrets_in_files()
    assert PASSWORD not in done.stdout + done.stderr


def test_what_a_bench_refuses(stand: Stand) -> None:
    ports = stand.ports()
    wrong = stand.ppslab(
        "run", "fastpath", *CONDITIONS, "--isolated", PPSLAB_DUT_PASSWORD="something else"
    )
    assert wrong.returncode == 2
    assert "PPSLAB_DUT_PASSWORD" in wrong.stderr and "keyring set ppslab" in wrong.stderr
    assert "something else" not in wrong.stdout + wrong.stderr

    subprocess.run(
        ["ip", "-n", stand.home, "address", "add", "192.0.2.9/24", "dev", "nic2"], check=True
    )
    used = stand.ppslab("run", "fastpath", *CONDITIONS, "--isolated")
    assert used.returncode == 2
    assert "nic2 has the address 192.0.2.9/24" in used.stderr

    assert stand.ports() == ports
    assert not [r for r in stand.device.requests if r[0] not in ("GET",)]


def until_trials(process: subprocess.Popen[str]) -> None:
    """Read what it says until it has begun to measure."""
    assert process.stdout
    for line in process.stdout:
        if "cost rounds" in line:
            return
    raise AssertionError(f"ended with {process.wait()}")
