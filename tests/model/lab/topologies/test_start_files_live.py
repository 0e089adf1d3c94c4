"""What the start files say makes routers that forward: played by Linux, wired as in the files.

No CHR can be had here.  Each CHR of a topology is a Linux router that is told, in its own words,
what the start file tells RouterOS; the hosts and the switch are the file's own.
"""

from __future__ import annotations

import re
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

# Two pings a way: the frames of tests that send more would push one out.
pytestmark = [pytest.mark.live, pytest.mark.frames]

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


def test_every_start_file_is_understood() -> None:
    """A statement that the play above leaves out silently would prove nothing."""
    for path in sorted((paths.project_root() / "topologies" / "start").glob("*.rsc")):
        if not path.name.startswith("pppoe-chr"):
            assert list(as_linux(script.read(path)))
