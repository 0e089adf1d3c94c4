"""What of a topology the router in the page can have, and what it says of the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model.lab import topology
from ppslab.testbed.backends import page_router

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


def test_the_programs_are_those_of_the_contents() -> None:
    packed = {"ip", "nft", "tc", "bridge", "conntrack", "wg", "bpftool", "dash", "busybox"}
    assert packed | {"ppstraffic"} == PROGRAMS


def test_a_program_that_is_not_there_is_named_with_its_line(stood: Stood) -> None:
    with pytest.raises(FileError, match=r'lone\.clab\.yml:8: .*"nfx".*"nft"'):
        stood("nfx list ruleset", "r1")


def test_a_node_may_not_be_called_as_a_program(stood: Stood) -> None:
    with pytest.raises(FileError, match="node nft"):
        stood("ip route", "nft")


def test_files_of_a_node_are_not_in_the_page() -> None:
    with pytest.raises(FileError, match="node server"):
        page_router.stand_up(topology.find("pppoe"), PROGRAMS)


def test_what_is_no_plain_ip_command_keeps_its_quotes_and_its_place(stood: Stood) -> None:
    script = stood("""sysctl -w "net.ipv4.ip_forward=1 " """, "r1").script
    assert "\nip netns exec r1 sysctl -w 'net.ipv4.ip_forward=1 '\n" in script
    lines = "link set dev lo up\nlink set dev lo mtu 1400\n"
    batch = script.index(f"ip -n r1 -batch - <<'END'\n{lines}END\n")
    assert batch < script.index("sysctl -w")


def test_every_node_is_a_program_and_every_link_is_made() -> None:
    found = topology.find("eoip-tcp")
    lab = page_router.stand_up(found, PROGRAMS)
    assert lab.nodes == tuple(found.nodes)
    assert re.findall(r"(?m)^{ .*; } >/bin/(\S+)$", lab.script) == list(found.nodes)
    assert lab.script.count(" type veth peer ") == len(found.links)


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
