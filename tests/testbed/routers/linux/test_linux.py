"""A Linux router: bridges, offloads, rules, and the CPUs that serve its cards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ppslab.model.lab import lab as labs
from ppslab.model.lab.conditions import PortQueues
from ppslab.testbed.routers.linux import read_back, steering, steps
from ppslab.testbed.routers.linux.read_back import plain_rules

TEXT = """# A tunnel, and the LAN port, in one bridge.
link add eoip1 type gretap local 198.19.1.2 remote 198.19.2.2 key 100
link add br-lan type bridge stp_state 0 mcast_snooping 0
link add name br2 type bridge
link set dev eth1 master br-lan
"""


def test_each_bridge_is_told_its_own_address_before_it_has_a_port(tmp_path: Path) -> None:
    """What the shell runs, by an `ip` that writes down its words and names an address."""
    (tmp_path / "ip").write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >>{tmp_path}/told\n'
        f"case $1 in -batch) cat >>{tmp_path}/told;;\n"
        '-br) echo "$5 DOWN 02:00:00:00:00:0${#5} <>";; esac\n'
    )
    (tmp_path / "ip").chmod(0o755)
    script = "\n".join(steps.batch(TEXT))
    subprocess.run(["sh", "-e"], input=f"PATH={tmp_path}:$PATH\n{script}", text=True, check=True)
    told = (tmp_path / "told").read_text().splitlines()
    first, second = (number for number, line in enumerate(told) if line == "-batch -")
    assert told[first + 1 : first + 5] == TEXT.splitlines()[:4]
    between = [line for line in told[first:second] if " address " in line]
    assert between == [
        "link set dev br-lan address 02:00:00:00:00:06",
        "link set dev br2 address 02:00:00:00:00:03",
    ]
    # The rest stands in the lines that it has in the file, which `ip` names where one is wrong.
    assert told[second + 1 :] == [*[""] * 4, TEXT.splitlines()[4]]


def test_what_a_batch_failed_at_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "bridge").write_text("#!/bin/sh\ncat >&2; echo Command failed -:2 >&2; exit 1\n")
    (tmp_path / "bridge").chmod(0o755)
    script = steps.feed("bridge -batch -", "vlan add\nvlan ad\n", "labs/l3offload/inter.vlans")
    ran = subprocess.run(
        ["sh", "-e"],
        check=False,
        input=f"PATH={tmp_path}:$PATH\n{script}echo on",
        text=True,
        capture_output=True,
    )
    assert (ran.returncode, ran.stdout) == (1, ""), "nothing follows it"
    told = steps.RuleFiles(()).named(ran.stderr.strip())
    assert told == "labs/l3offload/inter.vlans:2: vlan add\nvlan ad"


@pytest.mark.parametrize(
    ("carrier", "states", "looks"),
    [("1\n", ["2", "2", "3"], 2), ("1\n", ["3"], 0), ("0\n", ["0"], 0), ("1\n", ["0"], 40)],
)
def test_a_bridge_is_ready_when_its_ports_forward(
    tmp_path: Path, carrier: str, states: list[str], looks: int
) -> None:
    """By a `sleep` that counts, and brings the port's next state."""
    port = tmp_path / "net" / "eth1" / "brport"
    port.mkdir(parents=True)
    (port.parent / "carrier").write_text(carrier)
    for number, state in enumerate(states):
        (tmp_path / f"state{number}").write_text(f"{state}\n")
    (port / "state").write_text(f"{states[0]}\n")
    (tmp_path / "sleep").write_text(
        f"#!/bin/sh\necho >>{tmp_path}/slept\nn=$(wc -l <{tmp_path}/slept)\n"
        f"[ ! -e {tmp_path}/state$n ] || cat {tmp_path}/state$n >{port}/state\n"
    )
    (tmp_path / "sleep").chmod(0o755)
    bridged = labs.find("fastpath").conditions["bridging-fast-path"].linux
    script = steps.links(labs.find("fastpath"), bridged, ("eth1", "eth2"))[-1]
    script = script.replace("/sys/class/net", str(tmp_path / "net"))
    subprocess.run(["sh", "-e"], input=f"PATH={tmp_path}:$PATH\n{script}", text=True, check=True)
    slept = tmp_path / "slept"
    assert (len(slept.read_text().splitlines()) if slept.exists() else 0) == looks


# --- offloads -------------------------------------------------------------------------------------


LISTING = """Features for lo:
tcp-segmentation-offload: on
generic-receive-offload: on

Features for eth1:
rx-checksumming: off
tcp-segmentation-offload: off
\ttx-tcp-segmentation: off
generic-segmentation-offload: off [requested on]
generic-receive-offload: on
highdma: on [fixed]
rx-udp-gro-forwarding: on

Features for eth2:
generic-receive-offload: off
"""


def test_only_what_merges_frames_on_the_routers_ports_is_found() -> None:
    """Of native XDP, GRO is on because it is how a virtual cable gets NAPI."""
    found = read_back.merging_of(LISTING, ["eth1", "eth2"])
    assert found == {"eth1": ["generic-receive-offload", "rx-udp-gro-forwarding"], "eth2": []}
    assert len(list(read_back.merging_problems(found, native_xdp=False))) == 2
    (said,) = read_back.merging_problems(found, native_xdp=True)
    assert "rx-udp-gro-forwarding" in said


# --- rules ----------------------------------------------------------------------------------------


def listed(entry: dict[str, Any]) -> list[Any]:
    """Nft's answer of one entry, without what differs between two loads."""
    return plain_rules(json.dumps({"nftables": [{"metainfo": {"version": "1"}}, entry]}))


def counter(packets: int, name: str = "accepted") -> dict[str, Any]:
    words = {"family": "inet", "name": name, "table": "filter", "handle": packets}
    return {"counter": {**words, "packets": packets, "bytes": 64 * packets}}


def limit(size: int) -> dict[str, Any]:
    rule = {"family": "ip", "table": "t", "expr": [{"limit": {"rate": size, "bytes": size}}]}
    return {"rule": rule}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (counter(0), counter(4437), True),  # what it has counted is no difference
        (counter(0), counter(0, "other"), False),
        (limit(1), limit(2), False),  # a rule that matches on a length in bytes keeps it
    ],
)
def test_what_makes_two_rule_sets_different(
    one: dict[str, Any], other: dict[str, Any], equal: bool
) -> None:
    assert (listed(one) == listed(other)) == equal


WANTED = {"eth2": PortQueues(cpus=(0, 3), transmit=2)}


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("eth2 rx-0 9\neth2 tx-0\neth2 tx-1\n", 0),
        # A machine of more than 32 CPUs has masks of several words.
        ("eth2 rx-0 00000000,00000009\neth2 tx-0\neth2 tx-1\n", 0),
        ("eth2 rx-0 9\neth2 tx-0\n", 1),
        ("eth2 rx-0 1\neth2 tx-0\neth2 tx-1\n", 1),
        ("", 2),
    ],
)
def test_a_port_with_other_cpus_or_queues_is_seen(answer: str, count: int) -> None:
    assert len(list(steering.problems(WANTED, answer))) == count


def test_the_next_condition_finds_a_card_with_one_queue() -> None:
    lines = steering.take({"eth4": PortQueues(combined=4), "eth1": PortQueues(cpus=(1, 2))})
    assert "ethtool -L eth4 combined 1" in lines
    assert "ethtool -L eth1 tx 1" in lines and "echo 0 >/sys/class/net/eth1" in lines
