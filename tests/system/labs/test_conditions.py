"""Conditions of the labs: files load, pairs differ in one thing, two routers are set up alike."""

import json
import os
import re
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import units
from ppslab.model.bonding import Packet, Policy, port_of
from ppslab.model.lab import lab, published, topology
from ppslab.model.lab.packets import Flow
from ppslab.model.switch_chip import routes
from ppslab.model.switch_chip.routes import Prefix, Route
from ppslab.testbed.routers.routeros.rsc import script

FASTPATH = lab.find("fastpath")
FOLDER = FASTPATH.folder
PORTS = list(FASTPATH.spec.ports.values())
EOIP, FASTTRACK, HUNDRED, L3OFFLOAD, PPPOE, QUEUES = map(
    lab.find, ("eoip", "fasttrack", "hundred", "l3offload", "pppoe", "queues")
)


def added(file: str) -> list[dict[str, str]]:
    """The `add` lines of one of fastpath's files for RouterOS, each as its words."""
    lines = (FOLDER / "routeros" / file).read_text().splitlines()
    adds = [line for line in lines if line.startswith("add ")]
    pattern = r'([\w-]+)=("[^"]*"|\S+)'
    return [{key: word.strip('"') for key, word in re.findall(pattern, add)} for add in adds]


# --- pairs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("without", "beside", "file"),
    [
        ("eoip", "eoip-ipsec", "/ipsec.ip"),
        ("eoip", "eoip-ipsec-gcm", "/gcm.ip"),
        ("eoip", "eoip-fragments", "-1500.ip"),
        ("eoip-ipsec", "eoip-ipsec-fragments", "-1500.ip"),
        ("eoip-fragments", "eoip-ipsec-fragments", "/ipsec.ip"),
        ("eoip-jumbo", "eoip-ipsec-jumbo", "/ipsec.ip"),
        ("eoip", "eoip-jumbo", "lan-9000.ip"),
        ("routed-fragments", "routed-clamped", "clamp.nft"),
        ("eoip-fragments", "eoip-fragments-far", "far.tc"),
        ("eoip-fragments", "eoip-fragments-20ms", "far-20ms.tc"),
        ("eoip-fragments", "eoip-fragments-lossless", "far-lossless.tc"),
        ("eoip-fragments", "eoip-fragments-lossy", "far-lossy.tc"),
    ],
)
def test_a_pair_of_tunnels_differs_in_one_thing(without: str, beside: str, file: str) -> None:
    """Encryption, the path's MTU or distance, clamping: what a claim on the pair is about."""
    before, after = (set(EOIP.condition(name).files) for name in (without, beside))
    assert before < after and all(name.endswith(file) for name in after - before)


@pytest.mark.parametrize(
    ("without", "fast"),
    [
        ("interface-queue", "half-fasttrack"),
        *((name, name.replace("rules", "fasttrack")) for name in FASTTRACK.conditions
          if name.startswith("rules")),
        ("nat", "fasttrack-nat"),
        ("queue", "fasttrack-queue"),
    ],
)  # fmt: skip
def test_a_pair_differs_in_fasttrack_alone(without: str, fast: str) -> None:
    slow, quick = FASTTRACK.condition(without), FASTTRACK.condition(fast)
    assert quick.linux.nft == ("linux/fasttrack.nft", *slow.linux.nft)
    assert (quick.flows, quick.linux.tc) == (slow.flows, slow.linux.tc)
    (rule,) = [file for file in quick.routeros if file not in slow.routeros]
    # FastTrack's rule stands in front of every other filter rule.
    ahead = quick.routeros[: quick.routeros.index(rule)]
    assert "fasttrack" in rule and not any("rules" in f or "filter" in f for f in ahead)
    assert slow.linux.expect.rules is not None
    assert quick.linux.expect.rules == slow.linux.expect.rules + 1


# --- the rule sets ---------------------------------------------------------------------------


def in_a_namespace(commands: str) -> str:
    enter = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    if not all(map(shutil.which, ["nft", "tc", "unshare"])):
        pytest.skip("no nft, tc or unshare here")
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace to be had here")
    done = subprocess.run(
        [*enter, "sh", "-ec", commands], cwd=FOLDER, capture_output=True, text=True, check=False
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
        commands = "".join(f"ip link add {p} type veth peer name x{p}\n" for p in PORTS)
        commands += "".join(f"tc -batch {file}\n" for file in condition.linux.tc)
        commands += "".join(f"tc class show dev {p}; tc filter show dev {p}\n" for p in PORTS)
        lines = in_a_namespace(commands).splitlines()
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


def test_the_25_filters_are_those_of_the_rfc() -> None:
    """RFC 2544, 11.4.1: deny aa.ba.1.1 to aa.ba.100.1, 2.2 to 101.2, 3.3 to 103.3 ... 24.24 to
    124.24, after the twelfth allow, and at the end deny all else."""
    denied = [
        f"ip saddr 198.19.{k}.{k} ip daddr 198.19.{100 + k - (k < 3)}.{k} drop"
        for k in range(1, 25)
    ]
    allowed = "ip saddr 198.18.0.0/16 ip daddr 198.18.0.0/16 accept"
    assert nft("ip-filter-25.nft") == [*denied[:12], allowed, *denied[12:], "drop"]


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
    targets = [words["target"] for words in added("simple-queues-25.rsc")]
    text = (FOLDER / "linux" / "simple-queues-25.tc").read_text()
    assert len(targets) == 25
    for port in PORTS:
        assert re.findall(rf"filter add dev {port} .* match ip dst (\S+) ", text) == targets
    for flow in FASTPATH.spec.flows["routing"]:
        host = ip_address(str(flow.internet.dst))
        assert [host in ip_network(t) for t in targets] == [False] * 24 + [True]


# --- streams ---------------------------------------------------------------------------------


def test_six_streams_join_three_ports_in_both_modes() -> None:
    wanted = {(a, b) for a in ("p1", "p2", "p3") for b in ("p1", "p2", "p3") if a != b}
    for mode, letter in (("routing", "r"), ("bridging", "b")):
        flows = FASTPATH.spec.flows[mode]
        assert {(flow.tx_name, flow.rx_name) for flow in flows} == wanted
        for flow in flows:
            assert flow.name == letter + flow.tx_name[1] + flow.rx_name[1]


def test_streams_fit_the_wiring() -> None:
    """Sent to the router's MAC address on the port, from a host that the router knows there."""
    router = topology.find("fastpath").plain()["nodes"]["dut"]["exec"]
    text = "\n".join(router)
    for flow in FASTPATH.spec.flows["routing"]:
        near, far = FASTPATH.spec.ports[flow.tx_name], FASTPATH.spec.ports[flow.rx_name]
        assert f"ip link set dev {near} address {flow.ethernet.dst}" in text
        for address, port in ((flow.internet.src, near), (flow.internet.dst, far)):
            known = re.search(rf"replace {address} lladdr (\S+) dev {port} nud permanent", text)
            assert known, f"{address} on {port}"
            if address == flow.internet.src:
                assert known[1] == flow.ethernet.src


@pytest.mark.parametrize("mode", ["routing", "bridging"])
def test_the_tester_files_send_the_streams_of_the_lab(mode: str) -> None:
    templates = [words for words in added(f"tester/{mode}.rsc") if "header-stack" in words]
    flows = {flow.name: flow for flow in FASTPATH.spec.flows[mode]}
    assert {template["name"] for template in templates} == set(flows)
    for template in templates:
        flow = flows[template["name"]]
        assert template["ip-dst"] == flow.internet.dst
        if mode == "bridging":
            assert template["ip-src"] == flow.internet.src
            assert template["mac-dst"].lower() == flow.ethernet.dst
            assert template["port"] == flow.tx_name
    quick = (FOLDER / "routeros" / f"tester/{mode}-quick.rsc").read_text()
    numbers = published.load(FASTPATH)
    for run in re.findall(r"^quick tx-template=(\S+) packet-size=(\d+) mbps=(\d+)", quick, re.M):
        assert set(run[0].split(",")) == set(flows)
        size = int(run[1]) + units.FCS_BYTES
        assert numbers[f"rb1100-{mode}-{size}-intended"].value == float(run[2])


def port_by_the_rule(flow: Flow, policy: Policy) -> str:
    """By which port the flow leaves the bond, whose address is that of its first port."""
    packet = Packet(
        "02:00:c6:12:01:01",
        "02:00:c6:12:00:04",
        str(flow.internet.src),
        str(flow.internet.dst),
        (int(str(flow.transport.src_port)), int(str(flow.transport.dst_port))),
    )
    return f"p{1 + port_of(packet, policy, 8)}"


@pytest.mark.parametrize(
    ("name", "policy", "used"),
    [("bond-vlans", "layer3+4", 8), ("bond-vlans-ipv6", "layer3+4", 8),
     ("bond-vlans-layer2", "layer2", 1)],
)  # fmt: skip
def test_each_stream_is_awaited_where_the_bonds_rule_sends_it(
    name: str, policy: Policy, used: int
) -> None:
    flows = HUNDRED.flows(HUNDRED.condition(name))
    assert [flow.rx_name for flow in flows] == [port_by_the_rule(flow, policy) for flow in flows]
    assert len({flow.rx_name for flow in flows}) == used
    assert {flow.ethernet.vlan for flow in flows} == {3000}


# --- two routers, or two ends, alike ---------------------------------------------------------


@pytest.mark.parametrize("name", ["eoip", "ipsec", "gcm", "routed"])
def test_both_ends_of_a_tunnel_are_mirror_images(name: str) -> None:
    swap = {"1": "2", "2": "1"}
    ends = [EOIP.text(f"linux/r{number}/{name}.ip") for number in (1, 2)]
    mirrored = re.sub(r"(198\.1[89]\.(?:0\.)?)([12])", lambda m: m[1] + swap[m[2]], ends[0])
    mirrored = re.sub(r"(0x|00:0)([12])(?=00 |\b)", lambda m: m[1] + swap[m[2]], mirrored)
    assert mirrored == ends[1]


@pytest.mark.parametrize("name", ["vxlan", "gre", "ipip", "wireguard"])
def test_both_routers_of_routeros_have_a_tunnel_to_each_other(name: str) -> None:
    files = EOIP.condition(name).routeros
    ends = [EOIP.text(file) for file in files if file.endswith(f"/{name}.rsc")]
    assert len(ends) == 2
    for number, text in enumerate(ends, start=1):
        assert f"198.19.{3 - number}.2" in text, name


def linux_routes(condition: str) -> set[Route]:
    files = L3OFFLOAD.conditions[condition].linux.routes
    return {route for file in files for route in routes.read(L3OFFLOAD.folder / file)}


def routeros_routes(condition: str) -> set[Route]:
    """The routes that the condition's RouterOS files add, loops unrolled, next hops together."""
    gateways: dict[Prefix, list[str]] = {}
    for file in L3OFFLOAD.conditions[condition].routeros:
        for statement in script.read(L3OFFLOAD.folder / file):
            words = dict(statement.properties)
            if statement.menu in ("/ip/route", "/ipv6/route") and "dst-address" in words:
                hops = gateways.setdefault(routes.prefix(words["dst-address"]), [])
                hops += [words["gateway"]] if "gateway" in words else []
    return {
        Route(target, "forward" if hops else "blackhole", tuple(hops))
        for target, hops in gateways.items()
    }


@pytest.mark.long
@pytest.mark.parametrize("condition", L3OFFLOAD.conditions)
def test_both_routers_have_the_same_routes(condition: str) -> None:
    assert routeros_routes(condition) == linux_routes(condition)


@pytest.mark.parametrize("condition", L3OFFLOAD.conditions.values(), ids=L3OFFLOAD.conditions)
def test_both_routers_agree_on_offload(condition: lab.Condition) -> None:
    chip = condition.linux.switch_chip
    files = {Path(file).name for file in condition.routeros}
    assert ("offload.rsc" in files) == (chip is not None)
    for rule in ("acl-drop", "acl-to-cpu"):
        ruled = chip is not None and f"linux/{rule}.tc" in chip.rules
        assert (f"{rule}.rsc" in files) == ruled
    assert ("no-icmp.rsc" in files) == (chip is not None and not chip.icmp_reply_on_error)
    assert ("offload-ipv6.rsc" in files) == (chip is not None and chip.ipv6_hw)


def test_both_ends_of_pppoe_have_the_same_services_and_secrets() -> None:
    folder = PPPOE.folder / "linux"
    secrets = [(folder / end / "chap-secrets").read_text() for end in ("server", "client")]
    assert secrets[0] == secrets[1]
    users = {line.split()[0] for line in secrets[0].splitlines() if not line.startswith("#")}
    server, client = ((folder / end / "start").read_text() for end in ("server", "client"))
    assert users == set(re.findall(r"^serve (\S+)", server, re.MULTILINE))
    assert users == set(re.findall(r"\bdial ([a-z]\S+)", client))
    assert all((folder / "server" / user).is_file() for user in users)


def test_routeros_has_a_secret_for_every_session_and_the_streams_use_them() -> None:
    server = PPPOE.text("routeros/server.rsc") + PPPOE.text("routeros/vlan-server.rsc")
    routed = set(re.findall(r"routes=\"?198\.19\.2\.(\d+|\$n)/32", server))
    used = {
        str(flow.internet.src if isinstance(flow.internet.src, str) else "$n").split(".")[-1]
        for name, flows in PPPOE.spec.flows.items()
        for flow in flows
        if flow.tx_name == "p2"
        and name not in ("no-tunnel", "reassembled", "encrypted-reassembled")
    }
    # What RouterOS puts together it puts together in the sessions `plain` and `encrypted`.
    assert used == routed
