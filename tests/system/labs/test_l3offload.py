"""The chip of the lab l3offload on a live router: frame by frame, and by its counters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from ppslab.core.errors import BackendError
from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.model.results import Trial
from ppslab.model.switch_chip import chips, offload, routes
from ppslab.testbed.backends import capabilities, open_backend
from ppslab.testbed.routers.linux import steering
from ppslab.testbed.routers.linux.router import BPF_MODES, BpfMode

pytestmark = [pytest.mark.live, pytest.mark.alone]

LAB = lab.find("l3offload")
ATTEMPTS = 5
"""Of a trial that other work on the machine spoils."""

# Sends frames (hex, a line each) from eth1 and prints what then comes in, port and hex.
SEND = """
import select, socket, sys
ports = {}
for name in ("eth1", "eth2"):
    ports[name] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    ports[name].bind((name, 0))
    ports[name].setsockopt(263, 23, 1)  # PACKET_IGNORE_OUTGOING
    ports[name].setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE
for line in sys.stdin:
    ports["eth1"].send(bytes.fromhex(line))
names = {found: name for name, found in ports.items()}
while ready := select.select(list(names), [], [], 0.2)[0]:
    for found in ready:
        data = found.recv(65536)
        if not data[0] & 1:  # a kernel reports its multicast groups when an address is new
            print(names[found], data.hex())
"""


@pytest.fixture(scope="module")
def testbed() -> Iterator[FrameTestbed]:
    missing = {"bpf", "lpm-trie"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        yield stand(stack, backend, LAB, profiles.load("quick"))


def frame(dst: str = "198.19.0.2", ttl: int = 64, size: int = 18, sport: int = 100) -> Packet:
    ethernet = Ether(src="02:00:c6:12:01:02", dst="02:00:c6:12:01:01")
    header = IP(src="198.18.4.2", dst=dst, ttl=ttl, flags="DF")
    return ethernet / header / UDP(sport=sport, dport=200, chksum=0) / Raw(bytes(size))


def frame6(hop_limit: int = 64) -> Packet:
    ethernet = Ether(src="02:00:c6:12:01:02", dst="02:00:c6:12:01:01")
    header = IPv6(src="2001:2:0:100::2", dst="2001:2:0:200::2", hlim=hop_limit)
    return ethernet / header / UDP(sport=100, dport=200) / Raw(bytes(18))


def routed(sent: Packet, host: int = 2) -> bytes:
    """The frame as a router must send it on: scapy computes the checksum anew."""
    expected = sent.copy()
    expected[Ether].src, expected[Ether].dst = "02:00:c6:12:02:01", f"02:00:c6:12:02:{host:02x}"
    if IP in expected:
        expected[IP].ttl -= 1
        del expected[IP].chksum
    else:
        expected[IPv6].hlim -= 1
    return bytes(expected)


def send(testbed: FrameTestbed, *frames: Packet) -> dict[str, list[bytes]]:
    """What comes in on each port of the tester when it sends the frames from the first."""
    text = "\n".join(bytes(each).hex() for each in frames)
    said = testbed.tester.node.run(["python3", "-c", SEND], input=text).stdout  # type: ignore[attr-defined]
    came: dict[str, list[bytes]] = {"eth1": [], "eth2": []}
    for line in said.splitlines():
        port, data = line.split()
        came[port].append(bytes.fromhex(data))
    return came


def undisturbed(testbed: FrameTestbed, spec: TrialSpec, *, whole: bool = False) -> Trial:
    """A valid trial, of a few; `whole`: in which every frame came back."""
    for _ in range(ATTEMPTS):
        trial = testbed.trial(spec)
        counts = trial.counts
        if trial.valid and counts and (not whole or counts["received"] == counts["offered"]):
            break
    assert trial.valid, trial.invalid_because
    return trial


def stood(testbed: FrameTestbed, name: str, mode: BpfMode | None = None) -> lab.Condition:
    condition = LAB.conditions[name]
    testbed.router.apply(condition, bpf_mode=mode)
    assert testbed.router.read_back(condition, bpf_mode=mode).problems == ()
    return condition


@pytest.mark.parametrize("mode", BPF_MODES)
def test_the_chip_forwards_as_a_router_must(testbed: FrameTestbed, mode: BpfMode) -> None:
    # XDP on veth passes frames on only to a peer with NAPI, which GRO turns on.
    testbed.tester.node.run(["ethtool", "-K", "eth2", "gro", "on"])  # type: ignore[attr-defined]
    condition = stood(testbed, "offload-one-flow", mode)
    before = testbed.router.counters(condition)
    # Checksums on both sides of the carry of RFC 1624.
    frames = [frame(sport=sport) for sport in (1, 100)]
    frames += [frame(dst=f"198.19.{low}.{low}", ttl=ttl) for low in (1, 7, 254) for ttl in (2, 255)]
    came = send(testbed, *frames)
    testbed.tester.node.run(["ethtool", "-K", "eth2", "gro", "off"])  # type: ignore[attr-defined]
    assert came == {"eth1": [], "eth2": [routed(each) for each in frames]}
    grown = {k: v - before[k] for k, v in testbed.router.counters(condition).items()}
    assert (grown["chip forwarded"], grown["CPU forwarded"]) == (len(frames), 0)


def test_what_the_chip_does_not_know_the_cpu_routes(testbed: FrameTestbed) -> None:
    condition = stood(testbed, "offload-one-flow")
    before = testbed.router.counters(condition)
    came = send(testbed, frame(dst="198.17.0.1"), frame(dst="198.18.2.2"))
    # No route: the CPU says so.  A neighbour's own address is the chip's, as hosts are.
    assert came["eth2"] == [routed(frame(dst="198.18.2.2"))]
    assert [Ether(data)[ICMP].type for data in came["eth1"]] == [3]
    grown = {k: v - before[k] for k, v in testbed.router.counters(condition).items()}
    assert (grown["chip forwarded"], grown["chip to the CPU"]) == (1, 1)


def test_ipv6_is_offloaded_only_where_it_is_asked_for(testbed: FrameTestbed) -> None:
    condition = stood(testbed, "offload-ipv6")
    before = testbed.router.counters(condition)["chip forwarded"]
    assert send(testbed, frame6())["eth2"] == [routed(frame6())]
    assert testbed.router.counters(condition)["chip forwarded"] == before + 1
    condition = stood(testbed, "offload-one-flow")
    before = testbed.router.counters(condition)["chip to the CPU"]
    send(testbed, frame6())
    assert testbed.router.counters(condition)["chip to the CPU"] == before + 1


def test_the_last_hop_and_the_blackhole(testbed: FrameTestbed) -> None:
    stood(testbed, "ttl-1-silent")
    assert send(testbed, frame(ttl=1)) == {"eth1": [], "eth2": []}
    stood(testbed, "ttl-1-icmp")
    came = send(testbed, *[frame(ttl=1)] * 20)
    assert came["eth2"] == []
    assert [Ether(data)[ICMP].type for data in came["eth1"]] == [11] * 20
    stood(testbed, "ttl-1-icmp-limited")
    assert len(send(testbed, *[frame(ttl=1)] * 20)["eth1"]) < 20
    stood(testbed, "offload-blackhole")
    assert send(testbed, frame()) == {"eth1": [], "eth2": []}


def test_a_packet_too_large_for_the_next_link_is_not_forwarded(testbed: FrameTestbed) -> None:
    """Each condition's tables hold the MTU of the port as it was when they were filled."""
    dut = testbed.router.node
    dut.run(["ip", "link", "set", "eth2", "mtu", "1400"])
    try:
        words = LAB.conditions["ttl-1-silent"].linux
        for icmp, answers in ((False, 0), (True, 1)):
            stood(testbed, "offload-one-flow")
            assert words.switch_chip
            chip = words.switch_chip.model_copy(update={"icmp_reply_on_error": icmp})
            steering.fill(dut, steering.tables(dut, chip))
            came = send(testbed, frame(size=1452))
            assert came["eth2"] == []
            assert len(came["eth1"]) == answers
    finally:
        dut.run(["ip", "link", "set", "eth2", "mtu", "9500"])


def test_connections_are_spread_over_next_hops_and_stay_there(testbed: FrameTestbed) -> None:
    condition = stood(testbed, "offload-ecmp-8")
    frames = [frame(sport=sport) for sport in range(400)]
    came = send(testbed, *frames, *frames)["eth2"]
    hosts = [data[5] for data in came]
    assert len(hosts) == 800
    assert hosts[:400] == hosts[400:]
    counts = [hosts[:400].count(host) for host in range(2, 10)]
    assert sum(counts) == 400
    assert min(counts) > 20  # 50 each; four standard deviations are 26
    counted = testbed.router.counters(condition)
    assert [counted[f"next hop {n}"] for n in range(1, 9)] == [2 * count for count in counts]


def test_a_full_table_leaves_the_share_to_the_cpu_that_was_planned(testbed: FrameTestbed) -> None:
    condition = stood(testbed, "offload-14336-routes")
    assert condition.linux.switch_chip
    chip = condition.linux.switch_chip
    filled = steering.tables(testbed.router.node, chip)
    held = [routes.Route(routes.Prefix(*e.prefix), e.kind, e.hops) for e in filled.hardware]
    chosen = offload.choose(held, chips.of(chip.device))
    assert not chosen.cpu
    planned = offload.share_of_cpu(chosen, routes.prefix("198.19.0.0/16"))
    trial = undisturbed(testbed, TrialSpec("cost", condition, 64, 0.1), whole=True)
    assert trial.counts
    by_cpu = trial.counters["CPU forwarded"] / trial.counts["offered"]
    # Thousands of draws: the standard deviation of the share is below 0.005.
    assert by_cpu == pytest.approx(planned, abs=0.02)
    assert trial.counts["received"] == trial.counts["offered"]
    # The kernel refuses one prefix more.
    key = "20 00 00 00 c6 12 00 01"
    line = f"map update pinned {steering.PINS}/l3_ipv4 key hex {key} value hex {'00 ' * 11}00"
    more = steering.Tables((), (), [line])
    with pytest.raises(BackendError, match="No space left on device"):
        steering.fill(testbed.router.node, more)


def test_a_chip_that_lost_an_entry_is_found_before_the_trial(testbed: FrameTestbed) -> None:
    condition = stood(testbed, "offload-one-flow")
    key = "10 00 00 00 c6 13 00 00".split()
    testbed.router.node.run(
        ["bpftool", "map", "delete", "pinned", f"{steering.PINS}/l3_ipv4", "key", "hex", *key]
    )
    (problem,) = testbed.router.read_back(condition).problems
    assert "12" in problem and "13" in problem


def test_nothing_of_a_chip_stays_for_the_next_condition(testbed: FrameTestbed) -> None:
    dut = testbed.router.node
    stood(testbed, "offload-12288-routes")
    stood(testbed, "offload-ip-interface")
    stood(testbed, "cpu-one-flow")
    assert dut.run(["sh", "-c", f"ls {steering.PINS} 2>/dev/null || :"]).stdout == ""
    listed = json.loads(dut.run(["ip", "-j", "route"]).stdout)
    assert len([each for each in listed if each["dst"].startswith("198.19.")]) == 1
    assert send(testbed, frame())["eth2"] == [routed(frame())]


# What each frame does, of a hundred one way or each way: through the CPU, to the other ports.
BRIDGED = {
    "chip-unknown": (1, 1, 1),
    "chip-learned": (0, 0, 0),
    "two-chips-unknown": (1, 1, 1),
    "two-chips-learned": (1, 0, 0),
}


@pytest.mark.parametrize("name", BRIDGED)
def test_a_chip_floods_until_it_has_learned_and_two_chips_need_the_cpu(
    testbed: FrameTestbed, name: str
) -> None:
    condition = LAB.conditions[name]
    trial = undisturbed(testbed, TrialSpec("cost", condition, 64, 0.2, intended_load=1000.0))
    assert trial.counts and trial.counts["offered"]
    shares = [count / trial.counts["offered"] for count in trial.counters.values()]
    # The learning frames, of which the first of each host are flooded, are in the counts.
    assert shares == pytest.approx(BRIDGED[name], abs=0.15)


@pytest.mark.parametrize(
    ("name", "needs", "break_it", "says"),
    [
        ("two-chips-learned", set(), "ip link set dev eth2 master chip1", "bridge link show"),
        ("chip-learned", set(), "ip link set dev cpu2 nomaster", "bridge link show"),
        ("offload-3000-ipv6-routes", set(),
         f"bpftool map delete pinned {steering.PINS}/l3_ipv6 key hex "
         "40 00 00 00 20 01 00 02 00 00 0d b7 00 00 00 00 00 00 00 00", "prefixes"),
        ("acl-drop", {"flower"}, "tc filter del block 1 ingress pref 1", "tc filter show"),
        ("acl-to-cpu", {"flower"}, "tc filter del block 1 ingress pref 1", "tc filter show"),
        ("cpu-inter-vlan", {"vlan"}, "bridge vlan del dev eth2 vid 20", "bridge vlan show"),
        ("offload-inter-vlan", {"vlan"}, "bridge vlan add dev eth2 vid 30 pvid untagged",
         "bridge vlan show"),
        ("asked-chip-drops", set(), "echo 0 >/sys/class/net/ether3/queues/rx-0/rps_cpus",
         "rps_cpus"),
        ("asked-cpu-drops", {"nft", "conntrack"}, "kill $(cat /run/visitor); "
         "while ping -q -c 1 -W 1 198.18.3.2 >/dev/null; do sleep 0.1; done", "ping"),
        ("asked-cpu-drops", {"nft", "conntrack"},
         "pkill -f 'dev/[t]cp/198.18.3.1'; while pgrep -f 'dev/[t]cp/198.18.3.1' >/dev/null; do "
         "sleep 0.1; done", "pgrep"),
        ("asked-cpu-drops", {"nft", "conntrack"},
         "echo 0 >/sys/class/net/eth1/queues/rx-0/rps_cpus", "port eth1: CPUs"),
    ],
)  # fmt: skip
def test_a_condition_that_lost_a_part_is_read_back_as_another(
    testbed: FrameTestbed, name: str, needs: set[str], break_it: str, says: str
) -> None:
    if missing := needs - capabilities.features_of("namespaces"):
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    condition = stood(testbed, name)
    testbed.router.node.run(["sh", "-c", break_it])
    assert says in " ".join(testbed.router.read_back(condition).problems)
    stood(testbed, "cpu-one-flow")
