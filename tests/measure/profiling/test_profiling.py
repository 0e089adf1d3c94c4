"""Samples, stations and flame graphs, from recorded output of perf and stacks made up."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.core.errors import UsageError
from ppslab.measure.profiling import counters, experiment, flamegraph, perf, stations
from ppslab.model.lab import lab
from ppslab.testbed.backends import Completed
from tests.support.profile_factory import BEFORE

RECORDED = Path(__file__).resolve().parents[2] / "support/recorded"
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


def test_a_name_with_blanks_and_a_stack_without_names() -> None:
    text = (
        "my program   77 [003] 1.5: cpu-clock: \n\t 0 [unknown] ([unknown])\n\na 1 [000] 2.0: x:\n"
    )
    found = list(perf.parse(text.splitlines()))
    assert found == [perf.Sample("my program", 77, 3, ()), perf.Sample("a", 1, 0, ())]


def test_lines_that_are_no_samples_are_passed_over() -> None:
    text = "Warning:\nsomething was lost\n\nsh 5 [001] 1.0: cpu-clock:\n\tff read_tsc ([kernel])\n"
    assert [one.stack for one in perf.parse(text.splitlines())] == [("read_tsc",)]


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


def test_unknown_functions_are_shown_and_not_hidden() -> None:
    found = stations.load()
    stacks = [("mystery",), ("mystery",), ("nft_do_chain",), ()]
    assert found.unknown(stacks) == {"mystery": 2, "(no name)": 1}
    assert {share.name: share.samples for share in found.shares(stacks)} == {
        "nft": 1, "unknown": 3
    }  # fmt: skip


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


@settings(deadline=None, max_examples=50)
@given(stacks_of_any)
def test_a_flame_graph_is_valid_and_its_boxes_add_up(stacks: list[tuple[str, ...]]) -> None:
    svg = flamegraph.flame_graph(
        flamegraph.fold(stacks), stations.load(), title="a & b", subtitle="<c>", nanoseconds=500.0
    )
    root = ElementTree.fromstring(svg)
    boxes = root.findall(f"{SVG}g")
    assert boxes
    whole = boxes[0].find(f"{SVG}rect")
    assert whole is not None
    assert float(whole.attrib["width"]) == pytest.approx(flamegraph.WIDTH - 20, abs=0.1)
    for box in boxes:
        rect, title = box.find(f"{SVG}rect"), box.find(f"{SVG}title")
        assert rect is not None
        assert title is not None
        assert title.text
        left, width = float(rect.attrib["x"]), float(rect.attrib["width"])
        assert left >= 9.9
        assert left + width <= flamegraph.WIDTH - 9.8
    said = [box.findtext(f"{SVG}title") or "" for box in boxes]
    assert said[0].startswith("all: 500 ns, 100.0%")
    assert not re.search(r"<script|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", svg)


def test_a_difference_says_what_takes_longer() -> None:
    now = {("send", "ip_rcv", "nft_do_chain"): 60, ("send", "ip_rcv"): 40}
    before = {("send", "ip_rcv"): 100}
    svg = flamegraph.difference(
        now, before, title="t", subtitle="s", each=1000.0, each_before=400.0
    )
    titles = [one.text for one in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert "nft_do_chain: 600 ns, +600 ns" in titles
    assert "ip_rcv: 1000 ns, +600 ns" in titles
    same = flamegraph.difference(now, now, title="t", subtitle="s", each=9.0, each_before=9.0)
    assert "#f28a4b" not in same
    assert "#7fb8e6" not in same


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
    ("answers", "said"),
    [
        ({"perf --version": Completed(127, "", "perf: No such file")}, "not installed"),
        (
            {"perf record": Completed(255, "", "\nError:\nAccess to performance monitoring")},
            "may not look into this kernel: Error:",
        ),
        (
            {
                "head": Completed(0, "0000000000000000 A fixed\n", ""),
                "sed": Completed(0, "0000000000000000 T _text\n", ""),
            },
            "kptr_restrict",
        ),
        (
            {
                "head": Completed(0, "0000000000000000 A fixed\n", ""),
                "sed": Completed(0, "ffffffff81000000 T _text\n", ""),
            },
            None,
        ),
        ({"head": Completed(0, "ffffffff81000000 T _text\n", "")}, None),
    ],
)
def test_whether_perf_works_is_tried(answers: dict[str, Completed], said: str | None) -> None:
    found = perf.why_not(Fake(answers))
    assert (found is None) if said is None else (found is not None and said in found)


def test_counters_of_each_cpu() -> None:
    after = BEFORE.replace("  1000  ", "  1500  ").replace("00000010 00000001", "00000110 00000004")
    after = after.replace("cpu0 100 0 200 700 0 0 50 0", "cpu0 100 0 250 700 0 0 75 2")
    first, second = counters.between(counters.parse(BEFORE), counters.parse(after))
    assert (first.cpu, second.cpu) == (0, 2)
    assert first.softirqs == {"NET_RX": 500}
    assert (first.processed, first.dropped, first.squeezed) == (256, 3, 0)
    assert first.seconds["system"] == pytest.approx(0.5)
    assert first.seconds["softirq"] == pytest.approx(0.25)
    assert first.seconds["steal"] == pytest.approx(0.02)
    assert second.softirqs == {}


def test_a_sampler_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="there are auto, perf, counters"):
        experiment.run(lab.find("fastpath"), experiment.Options(sampler="gprof"))  # type: ignore[arg-type]
