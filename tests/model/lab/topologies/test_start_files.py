"""scripts/routeros/start_configs.py: a CHR's start file says what the lab's files say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ppslab.core import paths
from ppslab.model.lab import topology
from ppslab.model.lab.topology import ROUTEROS
from ppslab.testbed.backends import Deployment, capabilities, open_backend
from ppslab.testbed.routers import wires
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import Statement
from tests.support.waiting import PATIENCE

ROOT = paths.project_root()
FOLDER = ROOT / "topologies" / "start"


def run(root: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts/routeros/start_configs.py"), *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """What the script reads, to be changed."""
    (tmp_path / "scripts/routeros").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/routeros/start_configs.py", tmp_path / "scripts/routeros")
    for folder in ("labs", "topologies"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def test_the_start_files_are_as_they_would_be_made() -> None:
    done = run(ROOT, "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_a_lab_that_changed_is_noticed_and_its_files_are_made_anew(copied: Path) -> None:
    routing = copied / "labs" / "fastpath" / "routeros" / "routing.rsc"
    routing.write_text(routing.read_text().replace("198.18.3.1/24", "198.18.3.9/24"))
    (copied / "topologies" / "start" / "gone.dut.rsc").write_text("")
    done = run(copied, "--check")
    assert done.returncode == 1
    said = [line.split()[0] for line in done.stdout.splitlines()]
    names = ["fastpath-chr.dut", "fastpath-chr-tester.dut", "fastpath-tcp-chr.dut", "gone.dut"]
    assert said == [f"topologies/start/{name}.rsc" for name in names]
    assert run(copied).returncode == 0
    assert run(copied, "--check").returncode == 0
    assert "198.18.3.9/24" in (copied / "topologies/start/fastpath-chr.dut.rsc").read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/ip/route add dst-address=$net gateway=p1", "$"),
        ("/ip/route add comment={{x}} gateway=p1", "{{"),
        (":foreach x in=1,2 do={ }", "routing.rsc:24: "),
        ("/ip/route add gateway=p1 \\", "routing.rsc:24: "),
    ],
)
def test_what_cannot_be_a_start_file_is_refused(copied: Path, line: str, said: str) -> None:
    routing = copied / "labs" / "fastpath" / "routeros" / "routing.rsc"
    count = len(routing.read_text().splitlines())
    routing.write_text(f"{routing.read_text()}{line}\n")
    done = run(copied)
    assert done.returncode == 2
    assert said.replace(":24:", f":{count + 1}:") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_loop_is_unrolled_as_routeros_would_run_it() -> None:
    """containerlab would take the loop's variable for one of its own environment."""
    ours = script.read(FOLDER / "pppoe-chr.server.rsc")
    theirs = script.read(ROOT / "labs" / "pppoe" / "routeros" / "server.rsc")
    assert [str(each) for each in ours if each.menu == "/ppp/secret"] == [
        str(each) for each in theirs if each.menu == "/ppp/secret"
    ]
    assert sum(each.menu == "/ppp/secret" for each in ours) == 12


# --- what the start files say makes routers that forward ------------------------------------------


# Two pings a way: the frames of tests that send more would push one out.
FORWARDING = {"net.ipv4.ip_forward": "1", "net.ipv6.conf.default.disable_ipv6": "1"}
MENUS_WITHOUT_PART = {
    *("/ip/settings", "/ipv6/settings", "/ipv6/address", "/ipv6/neighbor"),
    *("/ip/firewall/connection/tracking", "/system/identity"),
}


def as_linux(statements: list[Statement]) -> Iterator[str]:
    """A start file in the words of `ip`; the port etherN is eth(N-1)."""
    names: dict[str, str] = {}

    def port(called: str) -> str:
        found = re.fullmatch(r"ether(\d+)", called)
        return names.get(called) or (f"eth{int(found[1]) - 1}" if found else called)

    for each in statements:
        words = dict(each.properties)
        match each.menu:
            case "/interface/ethernet":
                (test,) = each.find or ()
                name = port(test.value)
                names[words.get("name", test.value)] = name
                if "mac-address" in words:
                    yield f"ip link set dev {name} address {words['mac-address']}"
                if "mtu" in words:
                    yield f"ip link set dev {name} mtu {words['mtu']}"
            case "/interface/bonding":
                yield f"ip link add {words['name']} type bond mode {words['mode']} miimon 100"
                for slave in map(port, words["slaves"].split(",")):
                    yield f"ip link set dev {slave} down"
                    yield f"ip link set dev {slave} master {words['name']}"
                yield f"ip link set dev {words['name']} mtu {words['mtu']} up"
            case "/interface/vlan":
                # Linux's names have 15 letters.
                names[words["name"]] = name = f"vlan{words['vlan-id']}"
                parent = port(words["interface"])
                yield f"ip link add link {parent} name {name} type vlan id {words['vlan-id']}"
                yield f"ip link set dev {name} mtu 1500 up"
            case "/ip/address":
                yield f"ip address add {words['address']} dev {port(words['interface'])}"
            case "/ip/arp":
                yield (
                    f"ip neighbour replace {words['address']} lladdr {words['mac-address']} "
                    f"dev {port(words['interface'])} nud permanent"
                )
            case "/ip/route":
                yield f"ip route add {words['dst-address']} via {words['gateway']}"
            case menu:
                assert menu in MENUS_WITHOUT_PART, f"{each.where}: {menu}"


def played_by_linux(name: str, folder: Path) -> Path:
    """The topology with a Linux router in the place of each CHR."""
    wiring = topology.find(name, foreign=True)
    data = yaml.safe_load(wiring.path.read_text())
    del data["topology"]["kinds"][ROUTEROS]
    for node in wiring.nodes.values():
        if node.kind == ROUTEROS:
            start = wires.start_file(wiring, node)
            assert start is not None
            said = list(as_linux(script.read(start)))
            data["topology"]["nodes"][node.name] = {
                "kind": "linux",
                "sysctls": FORWARDING,
                "exec": said,
            }
            for link in data["topology"]["links"]:
                link["endpoints"] = [
                    re.sub(
                        rf"^{node.name}:ether(\d+)$",
                        lambda found, node=node: f"{node.name}:eth{int(found[1]) - 1}",
                        end,
                    )
                    for end in link["endpoints"]
                ]
    path = folder / f"{name}{topology.SUFFIX}"
    path.write_text(yaml.safe_dump(data))
    return path


def reaches(deployment: Deployment, host: str, address: str, size: int) -> str:
    """What ping says of a way that has to carry frames of `size` bytes of payload, uncut.

    It ends with the second answer; a lost one shows, though others came.
    """
    command = ["ping", "-n", "-c", "2", "-i", "0.2", "-w", "60", "-M", "do", "-s", str(size)]
    return deployment.node(host).run([*command, address], check=False).stdout


@pytest.mark.live
@pytest.mark.frames
@pytest.mark.parametrize(
    ("name", "ways", "needed"),
    [
        ("fastpath-tcp-chr", [("host1", "198.18.2.2"), ("host3", "198.18.1.2")], set()),
        ("eoip-tcp-chr", [("host1", "198.18.2.2"), ("host2", "198.18.1.2")], set()),
        (
            "hundred-chr",
            [("s01a", "198.18.2.2"), ("s12", "198.18.11.2"), ("s05", "198.18.1.2")],
            {"bonding", "vlan", "bridge"},
        ),
        (
            "hundred-tcp-chr",
            [("s01a", "198.18.2.2"), ("s12", "198.18.11.2")],
            {"bonding", "vlan", "bridge"},
        ),
    ],
)
def test_a_host_reaches_another_through_the_routers(
    name: str, ways: list[tuple[str, str]], needed: set[str], tmp_path: Path
) -> None:
    missing = needed - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(sorted(missing))} here: ppslab doctor")
    wiring = topology.load(played_by_linux(name, tmp_path))
    with open_backend("namespaces") as backend, backend.deploy(wiring) as deployment:
        for host, address in ways:
            # 1472 and 28 bytes of headers: a whole frame of Ethernet.
            said = reaches(deployment, host, address, 1472)
            if " 0% packet loss" not in said:  # a full backlog drops anybody's frame
                said = reaches(deployment, host, address, 1472)
            assert " 0% packet loss" in said, said


@pytest.mark.live
@pytest.mark.frames
def test_every_start_file_is_understood() -> None:
    """A statement that the play above leaves out silently would prove nothing."""
    for path in sorted((paths.project_root() / "topologies" / "start").glob("*.rsc")):
        if not path.name.startswith("pppoe-chr"):
            assert list(as_linux(script.read(path)))
