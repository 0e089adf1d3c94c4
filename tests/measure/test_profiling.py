"""Samples of perf, and the kernel's own counters, become the stations of a packet."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.measure import kernel_counters
from ppslab.measure.profiling import experiment, perf, stations
from ppslab.model import results
from ppslab.show.figures import flamegraph
from ppslab.show.figures.flamegraph import graph, graphs, inline
from ppslab.show.record_tables.stations import stations_table
from ppslab.testbed.backends import Completed
from tests.support.profile_factory import make_profile

RECORDED = Path(__file__).resolve().parents[1] / "support/recorded"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def samples() -> list[perf.Sample]:
    return list(perf.parse((RECORDED / "perf-script-6.1.txt").read_text().splitlines()))


def test_samples_as_perf_prints_them(samples: list[perf.Sample]) -> None:
    first, second, *_ = samples
    assert (first.comm, first.thread, first.cpu) == ("chrt", 15, 1)
    assert first.stack == ("ld-linux-x86-64.so.2:handle_amd",), "no name, no function"
    assert second.stack[0] == "nft_do_chain"
    assert "do_softirq" in second.stack, "without the compiler's .part.0"
    assert second.stack[-1] == "ppstraffic:__libc_sendto"
    assert not any(".isra" in name or ".part" in name for one in samples for name in one.stack)


def test_the_sender_is_the_thread_that_sends(samples: list[perf.Sample]) -> None:
    mine = perf.of_the_sender(samples)
    assert {one.thread for one in mine} == {18}
    assert len(mine) > 5
    receiver = [one for one in samples if one.comm == "ppstraffic" and one.cpu == 1]
    assert receiver
    assert not set(mine) & set(receiver)
    assert perf.of_the_sender([one for one in samples if one not in mine]) == []


@pytest.mark.parametrize(
    ("stack", "station"),
    [
        (("nft_do_chain", "nf_hook_slow", "ip_forward"), "nft"),
        (("__siphash_unaligned", "hash_conntrack_raw", "nf_conntrack_in"), "conntrack"),
        (("fib_lookup_good_nhc", "fib_table_lookup", "ip_route_input_slow"), "fib"),
        (("memcpy", "skb_copy_bits", "tpacket_rcv"), "tester-receive"),
        (("kfree", "skb_release_data", "sk_skb_reason_drop", "ip_rcv_core"), "tester-receive"),
        (("bpf_prog_run_pin_on_cpu", "tpacket_rcv"), "tester-receive"),
        (("bpf_prog_6deef7357e7b4530_fib", "cls_bpf_classify", "tcf_classify"), "bpf"),
        (("__tcf_classify", "tcf_classify", "htb_enqueue"), "qdisc"),
        (("__tcf_classify", "tcf_classify", "tc_run"), "bpf"),
        (("ppstraffic:template_write",), "tester-send"),
        (("kmem_cache_alloc", "__alloc_skb", "sock_alloc_send_pskb"), "tester-send"),
        (("br_handle_frame", "__netif_receive_skb_core"), "bridge"),
        (("nf_hook_slow", "ip_rcv"), "hooks"),
        (("veth_xmit", "dev_hard_start_xmit"), "wire"),
        (("never_heard_of_it",), "unknown"),
        ((), "unknown"),
    ],
)
def test_a_sample_belongs_to_its_innermost_known_function(
    stack: tuple[str, ...], station: str
) -> None:
    assert stations.load().of(stack) == station


def test_every_recorded_sample_of_the_sender_has_a_station(samples: list[perf.Sample]) -> None:
    found = stations.load()
    assert {found.of(one.stack) for one in perf.of_the_sender(samples)} >= {
        "nft", "conntrack", "fib", "tester-receive", "tester-send",
    }  # fmt: skip
    assert not found.unknown(one.stack for one in perf.of_the_sender(samples))


names = st.sampled_from(
    ["ip_rcv", "ip_forward", "nft_do_chain", "veth_xmit", "x<y>&\"z'", "tpacket_rcv", "Ünknown"]
)

stacks_of_any = st.lists(st.lists(names, max_size=6).map(tuple), min_size=1, max_size=40)


@settings(deadline=None, max_examples=50)
@given(stacks_of_any)
def test_the_stations_take_all_the_time_and_no_more(stacks: list[tuple[str, ...]]) -> None:
    found = experiment.station_times(stations.load(), stacks, 1000.0)
    assert sum(one.nanoseconds for one in found) == pytest.approx(1000.0)
    assert sum(one.samples for one in found) == len(stacks)
    assert all(one.error >= 0 for one in found)


class Fake:
    """A node whose perf answers as told."""

    def __init__(self, answers: dict[str, Completed]) -> None:
        self.answers = answers

    def run(self, argv, *, timeout: float = 60.0, check: bool = True) -> Completed:
        line = " ".join(argv)
        return next(
            (said for start, said in self.answers.items() if line.startswith(start)),
            Completed(0, "", ""),
        )

    def read(self, path: str) -> bytes:
        raise AssertionError(path)


@pytest.mark.parametrize(
    ("answers", "works"),
    [
        ({"perf --version": Completed(127, "", "perf: No such file")}, False),
        ({"perf record": Completed(255, "", "\nError:\nAccess to performance monitoring")}, False),
        (
            {
                "head": Completed(0, "0000000000000000 A fixed\n", ""),
                "sed": Completed(0, "0000000000000000 T _text\n", ""),
            },
            False,
        ),
        (
            {
                "head": Completed(0, "0000000000000000 A fixed\n", ""),
                "sed": Completed(0, "ffffffff81000000 T _text\n", ""),
            },
            True,
        ),
        ({"head": Completed(0, "ffffffff81000000 T _text\n", "")}, True),
    ],
)
def test_whether_perf_works_is_tried(answers: dict[str, Completed], works: bool) -> None:
    assert (perf.why_not(Fake(answers)) is None) == works


def test_two_conditions_have_a_graph_each_and_their_difference() -> None:
    drawn = graphs(make_profile())
    assert set(drawn) == {
        "routing-plain.svg", "routing-25-ip-filter-rules.svg", "difference.svg"
    }  # fmt: skip
    for svg in drawn.values():
        ElementTree.fromstring(svg)
    assert "+600 ns per packet" in drawn["difference.svg"]
    assert "nft_do_chain: 600 ns, +600 ns" in drawn["difference.svg"]
    now = {("send", "ip_rcv"): 100}
    same = flamegraph.difference(now, now, title="t", subtitle="s", each=9.0, each_before=9.0)
    assert "#f28a4b" in drawn["difference.svg"]
    assert "#f28a4b" not in same and "#7fb8e6" not in same


def test_a_graph_in_a_page_has_ids_of_its_own() -> None:
    record = make_profile()
    names = ("flame-a", "flame-b")
    page = "".join(inline(graph(record, "routing-plain"), name) for name in names)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids) == 4
    for name in names:
        assert f'aria-labelledby="{name}-title {name}-desc"' in page
    assert not page.startswith("<?xml")
    against = graph(record, "routing-25-ip-filter-rules", "routing-plain")
    assert "+600 ns per packet" in against


def test_the_page_s_table_has_the_router_and_the_ratio() -> None:
    table = stations_table(make_profile())
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["nftables rules"][0] == "-"
    assert rows["nftables rules"][1].startswith("600 ± ")
    assert rows["nftables rules"][2] == "+600"
    assert rows["the router's part"] == ["300 [294, 306]", "900 [882, 918]", ""]
    assert rows["IP"][0].startswith("600 ±") and rows["IP"][2] == "+0"
    assert rows["total"][2] == "+600"
    assert rows["relative to routing-plain"] == ["1 [0.98, 1.02]", "3 [2.94, 3.06]", ""]
    assert table.header[-1] == "difference"
    assert table.provenance
    assert not table.notes


PORTS = ("eth1", "eth2")
BEFORE = """10
1000
20
2000
1
2
5
500
7
700
0
0
##
00000064 00000005 00000002 0 0 0 0 0 0 0 0 0 00000000
0000000a 00000000 00000000 0 0 0 0 0 0 0 0 0 00000003
##
cpu  100 0 50 800 0 0 0 50 0 0
cpu0 60 0 50 300 0 0 20 0 0 0
cpu3 40 0 0 500 0 0 0 50 0 0
intr 1 2 3
"""
AFTER = (
    BEFORE.replace("10\n1000\n20\n2000\n1\n", "110\n9000\n26\n2600\n4\n")
    .replace("00000064 00000005", "00000164 00000015")
    .replace("60 0 50 300 0 0 20", "70 0 50 385 0 0 25")
    .replace("500 0 0 0 50", "500 0 0 0 60")
)


def test_a_transfer_s_packets_drops_and_busy_cpus() -> None:
    before, after = (kernel_counters.parse(text, PORTS) for text in (BEFORE, AFTER))
    counts = after.router_counts(before)
    assert (counts.packets, counts.bytes, counts.port_drops) == (100, 8000, 3)
    assert counts.links["eth1"] == results.LinkCounts(
        rx_packets=100, rx_bytes=8000, tx_packets=6, tx_bytes=600
    )
    assert counts.links["eth2"].rx_packets == 0
    assert counts.dropped == {"0": 16, "3": 0}
    # All that CPU 3 spent, the hypervisor took.
    assert after.stolen(before) == ({0: 0, 3: 10}, 1.0)
    # CPU 0 worked 15 of its 100 ticks; of CPU 3's ten none was idle.
    assert counts.busy == {"0": 0.15, "3": 1.0}


def test_a_kernel_before_5_10_does_not_number_its_cpus() -> None:
    text = "##\n00000001 00000007 0\n00000002 00000008 0\n##\ncpu 1 1 1 1 1 1 1 1\n"
    assert kernel_counters.parse(text).dropped == {0: 7, 1: 8}
