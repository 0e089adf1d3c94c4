"""The data of the lab l3offload is what its source says, and its two routers are set up alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.analysis import claims
from ppslab.base import paths
from ppslab.lab import lab, published, topology
from ppslab.routers.routeros.rsc import script
from ppslab.theory.switch_chip import chips, offload, routes
from ppslab.theory.switch_chip.routes import Prefix, Route

LAB = lab.find("l3offload")
NUMBERS = published.load(LAB)
CLAIMS = claims.load(LAB)
PROGRAM = Path("images/linux-router/bpf/l3_offload.bpf.c")

# Every number of the article that says how fast, how many or since when; typed from the article.
ARTICLE = """
98,851|98,851|27,974|27,974|373,313|249,458
98.8 Kpps|27.9 Kpps|373.3 Kpps|249 Kpps|343.5 Kpps|65.5 Mpps|over 250 times
a third of a Gigabit|around 1 Gbps total|half as fast
24+20 = 44 Gbps|800 MHz|> 14.8 Mpps|10 Gbps|full speed|14.8 Mpps|14.8 Mpps
22 Mpps|30 Mpps|20 Gbps|about 8 hours|a single packet dropped|69ºC|74ºC
12k IPv4 routes|3k IPv6 routes|a single routing table|the last byte
1 static route|1000 static routes
up to 8 destinations|by 1|0 bps|0 pps|15 Gbps|28 Mpps|CHF 150|7.1|7.6
1500 bytes|1.5 GB|around a million packets|1 Gbps|around 100,000 packets per second
24 Gigabit ports|2x10 Gigabit ports|a few thousand routes|65536
"""

# What a CHR does not have: /interface/ethernet/switch, from MikroTik's manual on L3 offloading.
SWITCH_ONLY = {
    "/interface/ethernet/switch": {"l3-hw-offloading"},
    "/interface/ethernet/switch/port": {"l3-hw-offloading"},
    "/interface/ethernet/switch/l3hw-settings": {
        "autorestart", "fasttrack-hw", "icmp-reply-on-error", "ipv6-hw",
    },
    "/interface/ethernet/switch/rule": {
        "switch", "ports", "dst-address", "protocol", "dst-port", "new-dst-ports",
        "redirect-to-cpu",
    },
}  # fmt: skip


def test_every_number_of_the_source_stands_once() -> None:
    printed = sorted(cell for line in ARTICLE.split("\n") if line for cell in line.split("|"))
    assert sorted(row.printed for row in NUMBERS.values()) == printed


def test_every_number_belongs_to_a_claim() -> None:
    claimed = {name for claim in CLAIMS for name in claim.published}
    assert claimed == {name for name, row in NUMBERS.items() if not row.needs}


@pytest.mark.parametrize("row", NUMBERS.values(), ids=NUMBERS)
def test_the_value_is_the_number_as_printed(row: published.Published) -> None:
    if row.printed == "a few thousand routes":
        assert (row.said.low, row.said.high) == (1000, 9999)
        return
    if row.printed == "2x10 Gigabit ports":
        assert row.value == 2
        return
    found = re.search(r"\d[\d,]*(?:\.\d+)?", row.printed)
    said = {"a third of a Gigabit": 1 / 3, "half as fast": 0.5, "full speed": 14.8}
    said |= {"around a million packets": 1e6, "a single packet dropped": 0}
    said |= {"24+20 = 44 Gbps": 44, "a single routing table": 1, "the last byte": 1}
    if row.printed in said:
        assert row.value == pytest.approx(said[row.printed], rel=1e-3)
        return
    assert found
    thousands = 1000 if re.search(r"\dk ", row.printed) else 1
    assert row.value == float(found.group().replace(",", "")) * thousands


def test_a_stand_in_says_what_would_settle_it() -> None:
    for claim in CLAIMS:
        arithmetic = claim.judge.line_rate or claim.judge.equation
        assert claim.settled_by or claim.judge.not_testable or arithmetic, claim.id


def test_the_program_has_the_tables_of_the_device() -> None:
    text = (paths.project_root() / PROGRAM).read_text()
    chip = chips.of("CRS326-24G-2S+")
    sizes = dict(re.findall(r"#define (IPV[46]_ROUTES|NEXT_HOPS)\s+(\d+)", text))
    assert sizes == {
        "IPV4_ROUTES": str(chip.ipv4_routes),
        "IPV6_ROUTES": str(chip.ipv6_routes),
        "NEXT_HOPS": str(chip.next_hops),
    }


def linux_routes(condition: str) -> set[Route]:
    files = LAB.conditions[condition].linux.routes
    return {route for file in files for route in routes.read(LAB.folder / file)}


def routeros_routes(condition: str) -> set[Route]:
    """The routes that the condition's RouterOS files add, loops unrolled, next hops together."""
    found: dict[Prefix, list[str]] = {}
    for file in LAB.conditions[condition].routeros:
        for statement in script.read(LAB.folder / file):
            said = dict(statement.properties)
            if statement.menu in ("/ip/route", "/ipv6/route") and "dst-address" in said:
                hops = found.setdefault(routes.prefix(said["dst-address"]), [])
                hops += [said["gateway"]] if "gateway" in said else []
    return {
        Route(target, "forward" if hops else "blackhole", tuple(hops))
        for target, hops in found.items()
    }


@pytest.mark.long
@pytest.mark.parametrize("condition", LAB.conditions)
def test_both_routers_have_the_same_routes(condition: str) -> None:
    assert routeros_routes(condition) == linux_routes(condition)


@pytest.mark.parametrize("condition", LAB.conditions.values(), ids=LAB.conditions)
def test_both_routers_agree_on_offload(condition: lab.Condition) -> None:
    chip = condition.linux.switch_chip
    files = {Path(file).name for file in condition.routeros}
    bridged = "bridge.rsc" in files
    assert bridged == (not condition.linux.routes)
    routed = (chip is not None, chip is None and not bridged)
    assert ("offload.rsc" in files, "cpu.rsc" in files) == routed
    for rule in ("acl-drop", "acl-to-cpu"):
        ruled = chip is not None and f"linux/{rule}.tc" in chip.rules
        assert (f"{rule}.rsc" in files) == ruled
    assert ("no-icmp.rsc" in files) == (chip is not None and not chip.icmp_reply_on_error)
    assert ("offload-ipv6.rsc" in files) == (chip is not None and chip.ipv6_hw)
    above = {"linux/ip-interfaces.ip", "linux/inter-vlan.ip"} & set(condition.linux.ip)
    assert ("ip-interfaces.rsc" in files) == bool(above)


def test_what_only_a_switch_has_is_spelt_as_the_manual_does() -> None:
    files = sorted(LAB.folder.glob("routeros/switch-only/*.rsc"))
    assert len(files) == 6
    for file in files:
        for line in file.read_text().splitlines():
            if not line.startswith("/interface/ethernet/switch"):
                continue
            menu, command, *words = line.split()
            names = {word.partition("=")[0] for word in words if "=" in word}
            assert command == ("add" if menu.endswith("/rule") else "set")
            assert names
            assert names <= SWITCH_ONLY[menu]


@pytest.mark.long
def test_the_conditions_of_many_routes_fit_and_overflow_as_they_say() -> None:
    chip = chips.of("CRS326-24G-2S+")
    everything = routes.prefix("198.19.0.0/16")
    left = {
        name: offload.choose(linux_routes(name), chip, hosts=9).cpu
        for name in ("offload-1000-routes", "offload-12288-routes", "offload-14336-routes")
    }
    assert [len(routes_left) for routes_left in left.values()] == [0, 0, 1034]
    full = offload.choose(linux_routes("offload-14336-routes"), chip, hosts=9)
    assert offload.share_of_cpu(full, everything) == pytest.approx(1033 / 8192)


def test_all_test_traffic_stays_in_the_benchmark_networks() -> None:
    text = topology.find("l3offload").path.read_text() + (LAB.folder / "lab.yml").read_text()
    text += "".join(file.read_text() for file in LAB.folder.rglob("*.r*"))
    found = {a for a in re.findall(r"\b\d+\.\d+\.\d+\.\d+\b", text) if not a.startswith("0.")}
    assert found
    assert all(address.startswith(("198.18.", "198.19.")) for address in found)
