"""The conditions of the lab fastpath: files that load, and two routers that are set up alike."""

import json
import os
import re
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from ppslab.model.lab import lab
from tests.system.labs.fastpath.words import FASTPATH, FOLDER, PORTS, routeros

# RFC 2544, section 11.4.1, the lines as they stand there; its dots are filled in by ALIKE.
SEQUENCE = """
deny aa.ba.1.1 to aa.ba.100.1
deny aa.ba.2.2 to aa.ba.101.2
deny aa.ba.3.3 to aa.ba.103.3
...
deny aa.ba.12.12 to aa.ba.112.12
allow
deny aa.ba.13.13 to aa.ba.113.13
deny aa.ba.14.14 to aa.ba.114.14
...
deny aa.ba.24.24 to aa.ba.124.24
deny all else
"""

ALIKE = "deny aa.ba.{k}.{k} to aa.ba.{k100}.{k}"


# --- the rule sets ---------------------------------------------------------------------------


def in_a_namespace(script: str) -> str:
    enter = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    if not all(map(shutil.which, ["nft", "tc", "unshare"])):
        pytest.skip("no nft, tc or unshare here")
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace to be had here")
    done = subprocess.run(
        [*enter, "sh", "-ec", script], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.live
@pytest.mark.parametrize("file", sorted(FOLDER.glob("linux/*.nft")), ids=lambda file: file.name)
def test_nft_accepts_the_file(file: Path) -> None:
    in_a_namespace(f"nft -c -f '{file}'")


@pytest.mark.live
@pytest.mark.parametrize("condition", FASTPATH.conditions.values(), ids=FASTPATH.conditions)
def test_the_files_load_as_many_rules_and_queues_as_expected(condition: lab.Condition) -> None:
    expect = condition.linux.expect
    loads = [f"nft -f {file}" for file in condition.linux.nft]
    listed = json.loads(in_a_namespace("\n".join([*loads, "nft -j list ruleset"])) or "{}")
    assert sum("rule" in entry for entry in listed.get("nftables", [])) == expect.rules
    if condition.linux.tc:
        script = "".join(f"ip link add {p} type veth peer name x{p}\n" for p in PORTS)
        script += "".join(f"tc -batch {file}\n" for file in condition.linux.tc)
        script += "".join(f"tc class show dev {p}; tc filter show dev {p}\n" for p in PORTS)
        lines = in_a_namespace(script).splitlines()
        assert sum(line.startswith("class htb") for line in lines) == 3 * (expect.classes or 0)
        assert sum("flowid" in line for line in lines) == 3 * (expect.filters or 0)
    else:
        assert not expect.classes


def test_the_read_back_looks_at_rules_and_tracking_of_every_condition() -> None:
    for condition in FASTPATH.conditions.values():
        expect = condition.linux.expect
        assert expect.rules is not None
        assert expect.conntrack is ("conntrack" in condition.needs)
        assert bool(expect.classes) is ("htb" in condition.needs)
        assert bool(condition.linux.bpf) is ("bpf" in condition.needs)
        assert condition.linux.bridge is ("bridge" in condition.needs)
        assert bool(condition.linux.nft) is bool({"nft", "nft-bridge"} & condition.needs)


# --- RouterOS --------------------------------------------------------------------------------


def nft(file: str) -> list[str]:
    """The rules of a file, without counters."""
    lines = (FOLDER / "linux" / file).read_text().splitlines()
    rules = [line.strip() for line in lines if line.startswith(" " * 8)]
    return [rule.replace("counter ", "") for rule in rules if not rule.startswith("type ")]


def as_nft(words: dict[str, str]) -> str:
    """A RouterOS rule in nft's words."""
    rule = []
    if "icmp-options" in words:
        kind, code = words["icmp-options"].split(":")
        rule.append(f"icmp type {kind} icmp code {code}")
    elif "protocol" in words:
        rule.append(f"meta l4proto {words['protocol']}")
    for key, word in (
        ("connection-state", "ct state"),
        ("src-address", "ip saddr"),
        ("dst-address", "ip daddr"),
    ):
        if key in words:
            rule.append(f"{word} {words[key]}")
    if "dst-mac-address" in words:
        address, mask = words["dst-mac-address"].lower().split("/")
        exact = mask == "ff:ff:ff:ff:ff:ff"
        rule.append(f"ether daddr {address}" if exact else f"ether daddr & {mask} == {address}")
    action = words["action"]
    rule.append(f"jump {words['jump-target']}" if action == "jump" else action)
    if "comment" in words:
        rule.append(f'comment "{words["comment"]}"')
    return " ".join(rule)


@pytest.mark.parametrize(
    "name", ["filter-3", "filter-13", "ip-filter-25", "bridge-filter-25", "bridge-filter-25-middle"]
)
def test_both_routers_have_the_same_rules_in_the_same_order(name: str) -> None:
    # nft keeps the word icmp for itself: the article's chain has another name there.
    linux = [rule.replace("jump icmp-types", "jump icmp") for rule in nft(f"{name}.nft")]
    assert [as_nft(words) for words in routeros(f"{name}.rsc")] == linux


def test_the_25_filters_are_those_of_the_rfc() -> None:
    lines: list[str] = []
    for line in SEQUENCE.strip().splitlines():
        if line == "...":
            lines.append(line)
            continue
        if lines and lines[-1] == "...":
            lines.pop()
            (last, here) = (int(re.findall(r"\.(\d+) to", text)[0]) for text in (lines[-1], line))
            lines += [ALIKE.format(k=k, k100=100 + k) for k in range(last + 1, here)]
        lines.append(line)
    assert len(lines) == 26
    wanted = []
    for line in lines:
        if line == "allow":
            wanted.append("ip saddr 198.18.0.0/16 ip daddr 198.18.0.0/16 accept")
        elif line == "deny all else":
            wanted.append("drop")
        else:
            source, target = re.findall(r"aa\.ba\.(\S+)", line)
            wanted.append(f"ip saddr 198.19.{source} ip daddr 198.19.{target} drop")
    assert nft("ip-filter-25.nft") == wanted


def test_the_streams_match_no_denied_address_and_one_allowed_one() -> None:
    for flow in FASTPATH.spec.flows["routing"]:
        meets = [rule for rule in nft("ip-filter-25.nft") if matches(rule, flow)]
        assert meets[0].endswith("accept")
    for flow in FASTPATH.spec.flows["bridging"]:
        destination = flow.ethernet.dst
        rules = nft("bridge-filter-25.nft")
        assert not [rule for rule in rules if f"daddr {destination} " in rule]
        assert rules[-1].endswith("== 02:00:c6:12:00:00 accept")
        assert destination.startswith("02:00:c6:12:")


def matches(rule: str, flow: lab.Flow) -> bool:
    networks: dict[str, Any] = dict(re.findall(r"ip ([sd]addr) (\S+)", rule))
    addresses = {"saddr": flow.internet.src, "daddr": flow.internet.dst}
    return all(
        ip_address(str(addresses[side])) in ip_network(network)
        for side, network in networks.items()
    )


def test_both_routers_have_the_same_queues_in_the_same_order() -> None:
    targets = [words["target"] for words in routeros("simple-queues-25.rsc")]
    text = (FOLDER / "linux" / "simple-queues-25.tc").read_text()
    assert len(targets) == 25
    for port in PORTS:
        assert re.findall(rf"filter add dev {port} .* match ip dst (\S+) ", text) == targets
    for flow in FASTPATH.spec.flows["routing"]:
        host = ip_address(str(flow.internet.dst))
        assert [host in ip_network(t) for t in targets] == [False] * 24 + [True]
