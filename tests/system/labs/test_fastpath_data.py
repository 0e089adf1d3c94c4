"""The data of the lab fastpath is what its sources say, and its two routers are set up alike."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from ppslab.analysis import claims
from ppslab.base import units
from ppslab.lab import lab, published, topology

FASTPATH = lab.find("fastpath")
FOLDER = FASTPATH.folder
NUMBERS = published.load(FASTPATH)
CLAIMS = {claim.id: claim for claim in claims.load(FASTPATH)}

# Every number of the article's outputs, typed from the article and not from published.csv.
ARTICLE_OUTPUTS = """
185 422|91.9Mbps|185 190|88.8Mbps|232|3.0Mbps|16us
213 397|105.8Mbps|212 747|102.1Mbps|650|3.7Mbps|10.6us
186 245|92.3Mbps|186 185|89.3Mbps|60|3.0Mbps|16.4us
213 685|105.9Mbps|212 961|102.2Mbps|724|3.7Mbps|10.8us
249 142|119.5Mbps|180 400|86.5Mbps|68 742|32.9Mbps|13.2us
249 141|119.5Mbps|193 158|92.7Mbps|55 983|26.8Mbps|11.1us
1 297 032|635.3Mbps|1 170 641|561.9Mbps|126 391|73.4Mbps|10.6us
1 235 620|481 094|487 045|267 469
0|0|0|0
0|0|0|0
593.0Mbps|230.9Mbps|233.7Mbps|128.3Mbps
1 233 862|360 750|360 402|512 692
0|0|0|0
0|0|0|0
603.9Mbps|178.9Mbps|178.7Mbps|246.0Mbps
249 793|123.8Mbps|127 410|61.1Mbps|122 383|62.7Mbps|3.22ms
249 791|123.8Mbps|87 232|41.8Mbps|162 559|82.0Mbps|5.2ms
249 792|123.8Mbps|127 424|61.1Mbps|122 368|62.7Mbps|3.15ms
249 792|123.8Mbps|87 219|41.8Mbps|162 573|82.0Mbps|5.18ms
249 792|119.9Mbps|40 492|19.4Mbps|209 300|100.4Mbps|5.54ms
249 791|119.8Mbps|46 736|22.4Mbps|203 055|97.4Mbps|5.41ms
1 498 751|735.3Mbps|516 513|247.9Mbps|982 238|487.4Mbps|3.15ms
40Mbps
13 926 377|1138.0...|2 586 802|206.9Mbps|11 339 575|215.3Mbps|41.6us
16 309 055|1142.4...|2 978 839|204.2Mbps|13 330 216|324.5Mbps|53.3us
300|500|500
200|500|500
"""
TABLE = """
1,299.1|15,776.3|3,759.0|15,396.9|23,808.0|12,189.7
1,299.1|15,776.3|3,759.0|15,396.9|5,704.8|2,920.9
1,299.1|15,776.3|3,759.0|15,396.9|23,808.0|12,189.7
1,299.1|15,776.3|3,759.0|15,396.9|8,353.1|4,276.8
1,299.1|15,776.3|3,392.9|13,897.3|3,481.8|1,782.7
"""

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


def cells(text: str) -> Counter[str]:
    return Counter(cell for line in text.split("\n") if line for cell in line.split("|"))


def number_of(printed: str) -> float:
    found = re.match(r"[\d ,]*\d(?:\.\d+)?", printed)
    assert found
    return float(re.sub("[ ,]", "", found.group()))


# --- published.csv ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text"),
    [("mikrotik-traffic-generator", ARTICLE_OUTPUTS), ("ufone-ccr-tuning", TABLE)],
)
def test_every_number_of_the_source_stands_once(source: str, text: str) -> None:
    printed = Counter(row.printed for row in NUMBERS.values() if row.source == source)
    assert printed == cells(text)


@pytest.mark.parametrize("row", NUMBERS.values(), ids=NUMBERS)
def test_the_value_is_the_number_as_printed(row: published.Published) -> None:
    assert row.value == number_of(row.printed)
    suffix = {"Mbps": "Mbit/s", "us": "us", "ms": "ms"}
    for ending, unit in suffix.items():
        if row.printed.endswith(ending):
            assert row.unit == unit


def test_the_totals_are_the_sums_of_their_streams() -> None:
    for run in ("rb1100-fast-path", "rb1100-connection-tracking"):
        for quantity in ("tx", "rx", "lost"):
            streams = [NUMBERS[f"{run}-stream-{n}-{quantity}"].value for n in range(6)]
            assert NUMBERS[f"{run}-total-{quantity}"].value == sum(streams)
        smallest = min(NUMBERS[f"{run}-stream-{n}-latency"].value for n in range(6))
        assert NUMBERS[f"{run}-total-latency"].value == smallest


def test_what_was_sent_was_received_or_lost() -> None:
    rows = [key.removesuffix("-tx") for key in NUMBERS if key.endswith("-tx") and "dut" not in key]
    assert len(rows) == 2 * 7 + 2
    for row in rows:
        sent, received, lost = (NUMBERS[f"{row}-{word}"].value for word in ("tx", "rx", "lost"))
        assert sent == received + lost


def test_the_generator_counts_sixty_bytes_of_a_frame_of_sixty_four() -> None:
    for run in ("rb1100-fast-path", "rb1100-connection-tracking"):
        rate, bits = NUMBERS[f"{run}-total-rx"].value, NUMBERS[f"{run}-total-rx-bits"].value
        assert bits * 1e6 / 8 / rate == pytest.approx(64 - units.FCS_BYTES, rel=0.001)


def test_the_table_counts_frames_with_their_check_sequence() -> None:
    rates = [row for row in NUMBERS.values() if row.unit == "kpps"]
    assert len(rates) == 15
    for row in rates:
        assert row.frame_size
        bits = NUMBERS[f"{row.id}-bits"].value
        # 3,481.8 kpps of 64 bytes are 1,782.68 Mbit/s; the table has 1,782.7.
        assert units.frame_bits_per_second(row.value * 1e3, row.frame_size) / 1e6 == pytest.approx(
            bits, rel=1e-4
        )


def test_each_row_says_where_it_stands() -> None:
    for row in NUMBERS.values():
        assert all([row.document, row.hardware, row.version, row.mode, row.quantity, row.where])
        mode = FASTPATH.conditions[row.condition].flows if row.condition else row.mode
        assert row.mode == mode


# --- claims.yml ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "ratio"),
    [
        ("ratio-of-tracking-to-the-fast-path", "2.27"),
        ("the-first-three-rules-cost-40-megabit", "1.20"),
        ("more-rules-change-almost-nothing", "1.01"),
        ("small-frames-are-bound-by-packets", "1.03"),
        ("ratio-of-filter-rules-to-queues", "2.40"),
        ("least-ratio-of-queues-to-the-fast-path", "2.85"),
        ("least-ratio-of-filter-rules-to-the-fast-path", "6.84"),
        ("least-ratio-of-bridge-filter-rules-to-the-fast-path", "4.17"),
    ],
)
def test_the_published_rows_make_the_ratio_that_is_spoken_of(claim: str, ratio: str) -> None:
    dearer, cheaper = (NUMBERS[name] for name in CLAIMS[claim].published)
    assert f"{cheaper.value / dearer.value:.2f}" == ratio
    word = CLAIMS[claim].judge.word
    if isinstance(word, claims.Costs):
        assert (dearer.condition, cheaper.condition) == (word.numerator, word.denominator)
        assert dearer.frame_size == cheaper.frame_size == word.size


def test_the_rows_of_an_order_belong_to_its_conditions() -> None:
    orders = [c for c in CLAIMS.values() if isinstance(c.judge.word, claims.Order) and c.published]
    assert orders
    for claim in orders:
        rows = [NUMBERS[name] for name in claim.published]
        if len(rows) == len(claim.judge.word.conditions):
            # A variant of a condition differs in what the source does not print.
            mine = tuple(name.removesuffix("-13-met") for name in claim.judge.word.conditions)
            assert tuple(row.condition for row in rows) == mine
            assert rows == sorted(rows, key=lambda row: -row.value)
            assert len({row.quantity for row in rows}) == 1


def test_every_condition_is_spoken_of_by_a_claim() -> None:
    spoken: set[str] = set()
    for claim in CLAIMS.values():
        word = claim.judge.word
        for key in ("conditions", "condition", "numerator", "denominator"):
            found = getattr(word, key, ())
            spoken.update([found] if isinstance(found, str) else found)
    assert spoken == set(FASTPATH.conditions)


# --- lab.yml and the topology ----------------------------------------------------------------


def test_six_streams_join_three_ports_in_both_modes() -> None:
    wanted = {(a, b) for a in ("p1", "p2", "p3") for b in ("p1", "p2", "p3") if a != b}
    for mode, letter in (("routing", "r"), ("bridging", "b")):
        flows = FASTPATH.spec.flows[mode]
        assert {(flow.tx_name, flow.rx_name) for flow in flows} == wanted
        for flow in flows:
            assert flow.name == letter + flow.tx_name[1] + flow.rx_name[1]


def test_no_stream_is_the_answer_to_another() -> None:
    """Else connection tracking would see answered connections, and rules for them would match."""
    for flows in FASTPATH.spec.flows.values():
        tuples = {
            (f.internet.src, f.transport.src_port, f.internet.dst, f.transport.dst_port): f.name
            for f in flows
        }
        assert len(tuples) == len(flows)
        assert not [t for t in tuples if (t[2], t[3], t[0], t[1]) in tuples]


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


def test_every_address_is_for_benchmarks() -> None:
    """RFC 2544 C.2.2 and RFC 5180: no file of the lab names any other."""
    allowed = [ip_network("198.18.0.0/15"), ip_network("2001:2::/48")]
    files = [f for f in FOLDER.rglob("*") if f.suffix in (".nft", ".tc", ".rsc", ".yml")]
    files.append(topology.find("fastpath").path)
    for file in files:
        text = re.sub("#.*", "", file.read_text())
        found = re.findall(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", text)
        found += re.findall(r"\b2001:[0-9a-f:]+", text)
        for address in found:
            assert any(ip_address(address) in network for network in allowed), (file, address)
        assert found or file.name not in ("lab.yml", "routing.rsc", "fastpath.clab.yml")


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


PORTS = list(FASTPATH.spec.ports.values())


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


@pytest.mark.long
def test_routeros_files_pass_the_linter() -> None:
    linter = Path(sys.executable).with_name("routeros-lsp")
    done = subprocess.run(
        [linter, "check", "--strict", FOLDER / "routeros"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_routeros_file_says_what_has_confirmed_it() -> None:
    for file in FOLDER.glob("routeros/**/*.rsc"):
        head = [line for line in file.read_text().splitlines() if line.startswith("#")]
        assert any("Not yet confirmed on a real router" in line for line in head[:3]), file


def test_every_routeros_file_is_used() -> None:
    """By a condition, or by the second router as the tester."""
    used = {file for c in FASTPATH.conditions.values() for file in c.routeros}
    kept = {str(file.relative_to(FOLDER)) for file in FOLDER.glob("routeros/**/*.rsc")}
    assert used <= kept
    assert all(file.startswith("routeros/tester/") for file in kept - used)


def routeros(file: str) -> list[dict[str, str]]:
    """The `add` lines of a file, each as its words."""
    lines = (FOLDER / "routeros" / file).read_text().splitlines()
    adds = [line for line in lines if line.startswith("add ")]
    pattern = r'([\w-]+)=("[^"]*"|\S+)'
    return [{key: word.strip('"') for key, word in re.findall(pattern, add)} for add in adds]


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


def test_the_article_lists_thirteen_rules_of_which_nine_are_in_a_chain_for_icmp() -> None:
    chains = Counter(words["chain"] for words in routeros("filter-13.rsc"))
    assert chains == {"forward": 4, "icmp": 9}
    assert routeros("filter-13.rsc")[:3] == routeros("filter-3.rsc")


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


def test_the_tester_files_send_the_streams_of_the_lab() -> None:
    for mode in ("routing", "bridging"):
        templates = [w for w in routeros(f"tester/{mode}.rsc") if "header-stack" in w]
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
        for run in re.findall(
            r"^quick tx-template=(\S+) packet-size=(\d+) mbps=(\d+)", quick, re.M
        ):
            assert set(run[0].split(",")) == set(flows)
            size = int(run[1]) + units.FCS_BYTES
            assert NUMBERS[f"rb1100-{mode}-{size}-intended"].value == float(run[2])
