"""What of a topology the router in the page can have, and what is counted in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import FileError
from ppslab.model.lab import topology
from ppslab.testbed.backends import Backend, page_router
from ppslab.testbed.backends.namespaces import open_namespaces

ROOT = Path(__file__).resolve().parents[4]
PROGRAMS = page_router.load(ROOT / "images/page-router").programs()

LONE = """name: lone
topology:
  nodes:
    {name}:
      kind: linux
      exec:
        - ip link set dev lo mtu 1400
        - {command}
"""

Stood = Callable[[str, str], page_router.Lab]


@pytest.fixture
def stood(tmp_path: Path) -> Stood:
    def make(command: str, name: str = "r1") -> page_router.Lab:
        file = tmp_path / "lone.clab.yml"
        file.write_text(LONE.format(command=command, name=name), encoding="utf-8")
        return page_router.stand_up(topology.load(file), PROGRAMS)

    return make


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        ("nfx list ruleset", "r1", r'lone\.clab\.yml:8: .*"nfx".*"nft"'),
        ("ip route", "nft", "node nft"),
    ],
)
def test_what_the_page_has_not_is_named(stood: Stood, command: str, name: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        stood(command, name)


def test_what_is_no_plain_ip_command_keeps_its_quotes_and_its_place(stood: Stood) -> None:
    script = stood("""sysctl -w "net.ipv4.ip_forward=1 " """, "r1").script
    assert "\nip netns exec r1 sysctl -w 'net.ipv4.ip_forward=1 '\n" in script
    lines = "link set dev lo up\nlink set dev lo mtu 1400\n"
    batch = script.index(f"ip -n r1 -batch - <<'END'\n{lines}END\n")
    assert batch < script.index("sysctl -w")


def test_what_is_pinned_stays_where_a_lab_needs_it() -> None:
    found = topology.find("l3offload")
    plain, kept = (page_router.stand_up(found, PROGRAMS, pins=pins) for pins in (False, True))
    assert (plain.within, kept.within) == ("", "/pinned")
    assert "mount -t bpf bpf /run/bpf" in kept.script and "umount /run/bpf" in kept.away
    assert "netns exec dut /pinned /bin/busybox ash" in kept.script
    assert "bpf" not in plain.script + plain.away


def test_what_stands_in_the_saved_state_is_not_stood_up_again() -> None:
    ours = page_router.stand_up(topology.find("fastpath-tcp"), PROGRAMS)
    other = page_router.stand_up(topology.find("fasttrack"), PROGRAMS)
    manifest = {"wired": {"digest": ours.digest, "away": ours.away}}
    assert ours.onto(manifest) == ""
    assert other.onto(manifest) == ours.away + other.script
    assert ours.onto({}) == ours.script, "a state of an older build has none"


# --- the scripts that count a packet --------------------------------------------------------------


HOSTS = """name: hosts
topology:
  nodes:
    r1: {kind: linux}
    r2: {kind: linux}
    a: {kind: linux, exec: [ip address add 198.18.1.2/24 dev eth7]}
    b: {kind: linux, exec: [ip address add 198.18.2.2/24 dev eth1]}
    c: {kind: linux}
    d: {kind: linux, exec: [ip address add 198.18.4.2/24 dev eth1]}
  links:
    - endpoints: ["r1:eth3", "a:eth7"]
    - endpoints: ["b:eth1", "r1:eth4"]
    - endpoints: ["c:eth1", "r1:eth5"]
    - endpoints: ["d:eth1", "r2:eth1"]
"""


@pytest.fixture
def hosts(tmp_path: Path) -> topology.Topology:
    file = tmp_path / "hosts.clab.yml"
    file.write_text(HOSTS, encoding="utf-8")
    return topology.load(file)


def test_ports_and_addresses_are_the_topologys(hosts: topology.Topology) -> None:
    made = page_router.count(hosts, "a", "b")
    assert '"dst 198.18.2.2"' in made.up and '"src_min 198.18.1.2"' in made.up
    assert "a dash /tmp/.pktgen $(r1 cat /sys/class/net/eth3/address)" in made.up
    assert "b cat /sys/class/net/eth1/statistics/rx_packets" in made.round
    assert "r1 nft delete table" in made.round
    assert made.flow == "from a through r1 to b"


def test_a_whole_burst_may_wait_between_two_nodes(hosts: topology.Topology) -> None:
    """On a busy machine all of it does, and the kernel's own limit cut it to 1000 packets."""
    made = page_router.count(hosts, "a", "b")
    limit = re.search(r"echo (\d+) >(\S+/netdev_max_backlog)\n", made.up)
    assert limit and int(limit[1]) > max(made.packets)
    assert f">{limit[2]}" in made.down, "what was set is set back"


@pytest.mark.parametrize(("receiver", "said"), [("c", "eth1"), ("d", "r2"), ("e", '"e"')])
def test_what_cannot_be_counted_is_said(hosts: topology.Topology, receiver: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        page_router.count(hosts, "a", receiver)


# --- the script that wires a lab in the page wires what the namespaces backend wires --------------


ASKED = {
    "addresses": "ip -j address",
    "routes": "ip -j route; ip -j -6 route",
    "neighbours": "ip -j neighbour; ip -j -6 neighbour",
    "settings": "cd /proc/sys/net; cat ipv4/ip_forward ipv6/conf/*/forwarding "
    "ipv6/conf/eth1/accept_ra ipv6/conf/eth1/autoconf ipv6/conf/eth1/addr_gen_mode",
}

IN_A_SANDBOX = """set -e
mount -t tmpfs run /run
mkdir -p /run/netns {nodes}
sh {script}
for node in {names}; do
    for asked in {questions}; do
        {nodes}/$node sh $asked >$asked.$node
    done
done
"""


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with open_namespaces() as opened:
        yield opened


def in_the_page(found: topology.Topology, folder: Path) -> dict[tuple[str, str], str]:
    """What each node answers, wired by the script in namespaces of its own."""
    programs = page_router.load(ROOT / "images/page-router").programs()
    lab = page_router.stand_up(found, programs, folder=str(folder))
    script = folder / "script"
    script.write_text(lab.script, encoding="utf-8")
    for name, text in ASKED.items():
        (folder / name).write_text(text, encoding="utf-8")
    text = IN_A_SANDBOX.format(
        nodes=folder, script=script, names=" ".join(lab.nodes),
        questions=" ".join(str(folder / name) for name in ASKED),
    )  # fmt: skip
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    done = subprocess.run(
        ["unshare", *as_root, "--net", "--mount", "sh", "-c", text],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {
        (node, name): (folder / f"{name}.{node}").read_text()
        for node in lab.nodes
        for name in ASKED
    }


def plain(name: str, text: str) -> Any:
    """An answer without what is another each time: numbers of interfaces, ages, states."""
    if name == "settings":
        return text
    rows = [row for line in text.splitlines() for row in json.loads(line)]
    kept = {
        "addresses": ("ifname", "mtu", "address"),
        "routes": ("dst", "gateway", "dev", "prefsrc", "scope", "protocol"),
        "neighbours": ("dst", "dev", "lladdr", "state"),
    }[name]
    found = [
        {key: row.get(key) for key in kept}
        | {"inside": [(a["local"], a["prefixlen"]) for a in row.get("addr_info", ())]}
        for row in rows
    ]
    return sorted(json.dumps(row, sort_keys=True) for row in found)


@pytest.mark.live
@pytest.mark.parametrize("name", ["fastpath-tcp", "eoip-tcp"])
def test_the_page_wires_what_the_backend_wires(backend: Backend, tmp_path: Path, name: str) -> None:
    found = topology.find(name)
    shown = in_the_page(found, tmp_path)
    with backend.deploy(found) as lab:
        for (node, asked), text in shown.items():
            wanted = lab.node(node).run(["sh", "-c", ASKED[asked]]).stdout
            assert plain(asked, text) == plain(asked, wanted), (node, asked)
