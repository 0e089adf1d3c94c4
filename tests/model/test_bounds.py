"""Bounds of the model: the last value that is taken, and the first that is not."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ppslab.core.errors import FileError, UsageError
from ppslab.model import device_choice, devices, meters, simulated, statistics, validity
from ppslab.model.binary_search import binary_search
from ppslab.model.lab import profiles, published
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.packets import Random
from ppslab.model.lab.tcp import Tcp
from ppslab.model.packet_path.on_linux.rule import RefusedError, Values
from ppslab.model.planning import queues
from ppslab.model.planning.nics import cards, pcie
from ppslab.model.results import Trial, parts, storing
from ppslab.model.statistics import Interval
from ppslab.model.switch_chip import route_table, routes
from ppslab.model.tunnels import eoip_bytes, overhead
from tests.support import simulated_paths as paths

IPV4, IPV6 = overhead.IPV4_HEADER, overhead.IPV6_HEADER
Question = Callable[[], Any]


def machine(cpus: int = 3, **card: int) -> Machine:
    """Two sockets of two cores: CPUs 0 to 3."""
    roles = {"sender": 0, "router": 1, "reader": cpus}
    return Machine.model_validate({"cpus": roles, "cards": {"wires": {"dut:eth1": card}}}
                                  if card else {"cpus": roles})  # fmt: skip


def searched(*, low: float = 1.0, high: float = 2.0, **more: Any) -> Any:
    return binary_search(simulated.HardLimit(1.5).measure, low, high, **more)


def suite(*sizes: int) -> profiles.Suite:
    return profiles.Suite(**{**dict(profiles.load("standard").suite), "sizes": sizes})


def range_of(low: int, high: int) -> Random:
    return Random.model_validate({"min": low, "max": high})


def listed(seconds: float, load: float) -> None:
    """Ask for the frames of a trial, of which the first alone is made."""
    router = simulated.HardLimit(9)
    router._begin = lambda *_: (1, 1)  # type: ignore[method-assign]
    router.frames(seconds, load)


VALUES, SIX = (Values(six=six, devices={}, marks=[], rule={}) for six in (False, True))
HOSTS = {"p1": "a", "p2": "b"}

TAKEN: dict[str, Question] = {
    "one more than the least load": lambda: searched(high=1.0000001),
    "narrow": lambda: searched(relative_width=0.999),
    "one packet": lambda: range_of(7, 7),
    "the last CPU": lambda: machine(3),
    "the last socket": lambda: machine(socket=1),
    "the last CPU for a card": lambda: machine(socket=0, cpu=3),
    "a queue a CPU": lambda: machine(socket=0, queues=4),
    "two hosts": lambda: Tcp.model_validate({"topology": "wires", "hosts": HOSTS}),
    "one stream": lambda: Tcp.model_validate({"topology": "wires", "hosts": HOSTS, "streams": 1}),
    "128 streams": lambda: Tcp.model_validate(
        {"topology": "wires", "hosts": HOSTS, "streams": 128}
    ),
    "a meter of the smallest frame": lambda: meters.table((64,)),
    "a meter of the largest frame": lambda: meters.table((9216,)),
    "the fastest card": lambda: cards.speeds_of(["8086:10fb=1600"]),
    "all CPUs that RouterOS knows": lambda: queues.plan(queues.MOST_CPUS, 1),
    "port 0": lambda: VALUES.number("0", 0, 65535),
    "port 65535": lambda: VALUES.ports("65535"),
    "a number of ten digits": lambda: VALUES.number("4294967295", 0, 2**32),
    "every flag of TCP": lambda: VALUES.flags("fin,syn,rst,psh,ack,urg,ece,cwr"),
    "a range of one port": lambda: VALUES.ports("80-80"),
    "a name of 40": lambda: VALUES.name("a" * 40),
    "the least MTU": lambda: overhead.Stack((), 68),
    "the largest MTU": lambda: overhead.Stack((), 65535),
    "an IP header alone": lambda: overhead.Stack(()).send(20),
    "the largest packet": lambda: overhead.Stack(()).send(65535),
    "sixteen layers": lambda: overhead.parse(("eoip",) * 16),
    "all bits of an IPv4 prefix": lambda: route_table.prefix("198.19.0.1/32"),
    "all bits of an IPv6 prefix": lambda: route_table.prefix("2001:2::1/128"),
    "as many prefixes as may be": lambda: route_table.run_of("198.19.0.0/30 x9", 9),
    "the last addresses": lambda: route_table.run_of("255.255.255.252/31 x2", 9),
    "as many lines as may be": lambda: routes.lines_of(Path("r"), "\n" * routes.MOST_LINES),
    "no stall": lambda: simulated.Buffered(9, 1, 0.0, 0.1),
    "no deviation": lambda: simulated.NoisyCapacity(9, 0.0),
    "the largest deviation": lambda: simulated.NoisyCapacity(9, 0.2),
    "no spike": lambda: simulated.LossSpikes(9, 0.0, 0.0),
    "a spike that takes all": lambda: simulated.LossSpikes(9, 0.5, 1.0),
    "all fails": lambda: simulated.FailsAtAnyRate(1.0),
    "held back by one": lambda: paths.Reordering(9, 2, 1),
    "no loss allowed, no trial too many": lambda: simulated.HardLimit(9).throughput(
        0.0, exceed_ratio=0.0
    ),
    "two million frames": lambda: listed(0.001, 2e9),
    "a noisy second with loss": lambda: simulated.NoisyCapacity(9).throughput(0.1, seconds=1.0),
    "a noisy minute without": lambda: simulated.NoisyCapacity(9).throughput(0.0, seconds=60.0),
    "a frame of PCI Express, the smallest": lambda: pcie.Link(3, 8).frames(64, 16),
    "a frame of PCI Express, the largest": lambda: pcie.Link(3, 8).frames(9216, 16),
    "a network of IPv6": lambda: SIX.network("2001:2::/64"),
    "a host of IPv4": lambda: VALUES.network("198.18.0.1/32"),
    "the smallest and the largest frame": lambda: suite(64, 9216),
    "a range": lambda: published.parse("1-2", "ratio", None, None),
}


@pytest.mark.parametrize("name", TAKEN)
def test_the_last_that_is_taken(name: str) -> None:
    TAKEN[name]()


REFUSED: dict[str, Question] = {
    "no load": lambda: searched(low=0.0),
    "the same loads": lambda: searched(low=2.0),
    "as wide as itself": lambda: searched(relative_width=1.0),
    "no width": lambda: searched(relative_width=0.0),
    "a trial of no time": lambda: searched(trial_seconds=0.0),
    "no packet": lambda: range_of(8, 7),
    "a CPU too many": lambda: machine(4),
    "a socket too many": lambda: machine(socket=2),
    "a CPU too many for a card": lambda: machine(socket=0, cpu=4),
    "a queue too many": lambda: machine(socket=0, queues=5),
    "one host": lambda: Tcp.model_validate({"topology": "wires", "hosts": {"p1": "a"}}),
    "no stream": lambda: Tcp.model_validate({"topology": "wires", "hosts": HOSTS, "streams": 0}),
    "129 streams": lambda: Tcp.model_validate(
        {"topology": "wires", "hosts": HOSTS, "streams": 129}
    ),
    "a meter of less than a frame": lambda: meters.table((63,)),
    "a meter of more than a frame": lambda: meters.table((9217,)),
    "bytes of no packets": lambda: meters.bytes_each(1.0, 0.0),
    "a card of no speed": lambda: cards.speeds_of(["8086:10fb=0"]),
    "a card too fast": lambda: cards.speeds_of(["8086:10fb=1601"]),
    "a CPU that RouterOS does not know": lambda: queues.plan(queues.MOST_CPUS + 1, 1),
    "port 65536": lambda: VALUES.ports("65536"),
    "a number of eleven digits": lambda: VALUES.number("00000000080", 0, 2**32),
    "a range that ends first": lambda: VALUES.ports("80-79"),
    "a name of 41": lambda: VALUES.name("a" * 41),
    "an MTU below the least": lambda: overhead.Stack((), 67),
    "an MTU too large": lambda: overhead.Stack((), 65536),
    "less than a header": lambda: overhead.Stack(()).send(19),
    "a packet too large": lambda: overhead.Stack(()).send(65536),
    "seventeen layers": lambda: overhead.parse(("eoip",) * 17),
    "no room for a fragment": lambda: overhead.fragments(1500, 60, 67),
    "33 bits": lambda: route_table.prefix("198.19.0.1/33"),
    "129 bits": lambda: route_table.prefix("2001:2::1/129"),
    "more prefixes than may be": lambda: route_table.run_of("198.19.0.0/30 x10", 9),
    "addresses behind the last": lambda: route_table.run_of("255.255.255.252/31 x3", 9),
    "a line too many": lambda: routes.lines_of(Path("r"), "\n" * (routes.MOST_LINES + 1)),
    "stalls for ever": lambda: simulated.Buffered(9, 1, 0.1, 0.1),
    "stalls for less than no time": lambda: simulated.Buffered(9, 1, -0.1, 0.1),
    "too much deviation": lambda: simulated.NoisyCapacity(9, 0.21),
    "always a spike": lambda: simulated.LossSpikes(9, 1.0),
    "nothing fails": lambda: simulated.FailsAtAnyRate(0.0),
    "held back for ever": lambda: paths.Reordering(9, 3, 3),
    "held back by none": lambda: paths.Reordering(9, 3, 0),
    "all may be lost": lambda: simulated.HardLimit(9).throughput(1.0),
    "all may exceed": lambda: simulated.HardLimit(9).throughput(exceed_ratio=1.0),
    "a frame more than two million": lambda: simulated.HardLimit(9).frames(0.001, 2.000001e9),
    "more than a noisy second with loss": lambda: simulated.NoisyCapacity(9).throughput(
        0.1, seconds=1.001
    ),
    "less than a frame of PCI Express": lambda: pcie.Link(3, 8).frames(63, 16),
    "more than a frame of PCI Express": lambda: pcie.Link(3, 8).frames(9217, 16),
    "129 bits of IPv6": lambda: SIX.network("2001:2::/129"),
    "33 bits of IPv4": lambda: VALUES.network("198.18.0.1/33"),
    "less than a frame": lambda: suite(63),
    "more than a frame": lambda: suite(9217),
    "a range of one": lambda: published.parse("2-2", "ratio", None, None),
    "a ratio to nothing": lambda: statistics.ratio_of_medians([1.0], [0.0]),
    "no interval without a positive ratio": lambda: statistics.ratio_interval([1.0], [0.0]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_first_that_is_not_taken(name: str) -> None:
    with pytest.raises((ValueError, UsageError, FileError, RefusedError, ValidationError)):
        REFUSED[name]()


ANSWERS: dict[str, tuple[Question, Any]] = {
    # Statistics: Interval's ends belong to it.
    "the low end is in it": (lambda: Interval(2, 1, 3, 1).excludes(1), False),
    "the high end is in it": (lambda: Interval(2, 1, 3, 1).excludes(3), False),
    "as wide is within": (lambda: Interval(2, 1, 3, 1).within(1, 3), True),
    "it touches from below": (lambda: Interval(2, 1, 3, 1).outside(3, 4), False),
    "it touches from above": (lambda: Interval(2, 1, 3, 1).outside(0, 1), False),
    "one value is known as it is": (lambda: statistics.median_interval([5]), Interval(5, 5, 5, 1)),
    "one round too": (lambda: statistics.ratio_interval([3], [2]), Interval(1.5, 1.5, 1.5, 1)),
    "two values vary": (lambda: statistics.coefficient_of_variation([1, 3]) > 0, True),
    "one value does not": (lambda: statistics.coefficient_of_variation([1]), 0.0),
    "neither is larger": (lambda: statistics.ratio(0, 0), 0.0),
    "the other is nothing": (lambda: statistics.ratio(1, 0), math.inf),
    "this one is nothing": (lambda: statistics.ratio(0, 1), 0.0),
    "enough rounds, one of them endless": (
        lambda: statistics.ratio_interval([2.0] * 6, [1.0] * 5 + [0.0]).low,
        2.0,
    ),
    "too few rounds, one of them endless": (
        lambda: statistics.ratio_interval([2.0] * 5, [1.0] * 4 + [0.0]).low,
        0.0,
    ),
    "nothing over nothing is endless": (
        lambda: statistics.ratio_of_medians([0, 0, 1], [0, 1, 1]).high,
        math.inf,
    ),
    "no ratio is known": (lambda: statistics.middle_ratio([0.0, math.inf]), None),
    "a middle that is endless": (lambda: statistics.middle_ratio([3.0, math.inf, math.inf]), 3.0),
    "a name of three letters": (lambda: begins("ccr"), True),
    "a name of two letters": (lambda: begins("cc"), False),
    "a middle that was seen": (lambda: statistics.middle_ratio([0.0, 0.0, 3.0]), 3.0),
    "the middle splits nothing": (lambda: statistics.sign_p([1.0] * 9), 1.0),
    "two runs predict nothing": (
        lambda: statistics.predicted_ratio([Interval(2, 1, 3, 1)] * 2),
        None,
    ),
    "none above 0 predicts nothing": (
        lambda: statistics.predicted_ratio([Interval(0, 0, 1, 1), *[Interval(2, 1, 3, 1)] * 2]),
        None,
    ),
    "as many runs as the table has": (
        lambda: statistics.predicted_ratio([Interval(2, 1, 3, 1)] * statistics.MOST_RUNS).estimate,
        2.0,
    ),
    "a ratio from 0 is not pooled": (
        lambda: statistics.pooled_ratio([Interval(2, 0, 3, 1), Interval(2, 1, 3, 7)]).low > 0,
        True,
    ),
    # Steal: ticks of a hundredth of a second, one of which is uncertain.
    "no time, no steal": (lambda: validity.worst_steal({0: 9}, 0.0), 0.0),
    "no time, nothing stolen": (lambda: validity.steal_of({0: 900}, 0.0), None),
    "too few ticks": (lambda: validity.steal_of({0: validity.FEWEST_TICKS - 1}, 1e-6), None),
    "the fewest ticks": (
        lambda: validity.steal_of({0: validity.FEWEST_TICKS}, 1e-6) is not None,
        True,
    ),
    # A search takes what loses as much as is allowed.
    "as much as is allowed": (
        lambda: (
            binary_search(
                lambda _s, _l: SimpleNamespace(loss_ratio=0.1), 1, 2, loss_ratio=0.1
            ).throughput
        ),
        2,
    ),
    # Devices.
    "as fast as is wanted": (lambda: device_choice.carry((10, 10), 10), True),
    "as fast, and the others not": (lambda: device_choice.carry((10, 9), 10), False),
    "a rate as high as is wanted": (lambda: enough(10, 10), True),
    "a rate a little lower": (lambda: enough(9, 10), False),
    "no rate": (lambda: enough(None, 10), None),
    "its own page": (
        lambda: devices.find("hEX").product_page.split("#")[0].rpartition("/")[2],
        devices.find("hEX").page,
    ),
    "a port as fast as is wanted": (lambda: device_choice.carry((10, 10), 5, 10), True),
    "a port a little slower": (lambda: device_choice.carry((9, 10), 5, 10), False),
    "nothing is endlessly far": (lambda: statistics._apart(1, 0), math.inf),
    "its whole CPU": (lambda: clock(parts.WHOLE_SHARE), "cpu"),
    "less than its whole CPU": (lambda: clock(parts.WHOLE_SHARE - 1e-9), "wall"),
    "its whole CPU, counted": (lambda: clock(parts.WHOLE_SHARE, "counted"), "cpu"),
    "a frame of 60 bytes": (lambda: padding(46), None),
    "a frame of 59 bytes": (lambda: padding(45), 1),
    # Meters.
    "half a byte off": (lambda: len(meters.counting(60.5, 64)) > 0, True),
    "no offset": (lambda: meters.Meter.rule.fget(SimpleNamespace(offset=1)), "f + 1"),
    # Labs.
    "one queue is not several": (lambda: machine(socket=0, queues=1).several_queues, False),
    "two queues are": (lambda: machine(socket=0, queues=2).several_queues, True),
    "from nothing to something": (lambda: published.Value(0.0, 5.0).at_most, True),
    "nothing at all": (lambda: published.Value(0.0, 0.0).at_most, False),
    # Records.
    "the same second": (
        lambda: storing.new_name("a", STARTED, "vm", ["a-20260101T000000Z-vm.json"]),
        "a-20260101T000000Z-vm-2.json",
    ),
    "the second after": (
        lambda: storing.new_name("a", STARTED, "vm", ["a-20251231T235959Z-vm.json"]),
        "a-20260101T000000Z-vm.json",
    ),
    # Tunnels.
    "as large as the link": (lambda: overhead.fragments(1500, 20, 1500), (1500,)),
    "a byte more": (lambda: overhead.fragments(1501, 20, 1500), (1500, 21)),
    "the last may fill the link": (lambda: overhead.fragments(2971, 20, 1499), (1492, 1499)),
    "eight bytes a fragment": (lambda: overhead.fragments(36, 20, 28), (28, 28)),
    "as large as the interface": (lambda: overhead.Stack(()).send(1400, 1400, df=True).lost, ""),
    "larger, and never fragmented": (
        lambda: overhead.Stack(()).send(1401, 1400, df=True).lost != "",
        True,
    ),
    "eight bytes are shown": (
        lambda: eoip_bytes.Field("", "", tuple(range(8)), "").hex().endswith("07"),
        True,
    ),
    "protocols as the system numbers them": (
        lambda: (eoip_bytes.GRE, eoip_bytes.UDP, eoip_bytes.ESP),
        (socket.IPPROTO_GRE, socket.IPPROTO_UDP, socket.IPPROTO_ESP),
    ),
    # Simulated routers: a frame that leaves makes room for one that comes just then.
    "as many as are served": (lambda: len(simulated.Buffered(1e6, 1).frames(1e-3, 1e6).rows), 1000),
    "a tester at its limit": (
        lambda: {
            after.sent_ns - before.sent_ns
            for before, after in pairwise(
                simulated.HardLimit(1e9, tester_limit=1e5).frames(1e-3, 1e6).rows
            )
        },
        {10_000},
    ),
    "a sender that waits sends up to 10 ms after a trial": (
        lambda: max(row.sent_ns for row in simulated.BackPressure(1e3, 1).frames(0.005, 1e4).rows),
        15_000_000,
    ),
    "no trial too many, and noise": (
        lambda: simulated.NoisyCapacity(9).throughput(exceed_ratio=0.0),
        None,
    ),
    "a spike of what is tolerated": (
        lambda: simulated.LossSpikes(99, 0.1, 0.01, 0.0).throughput(0.01, exceed_ratio=0.05),
        100.0,
    ),
    "half may be lost": (
        lambda: paths.Asymmetric(paths.Path(1), paths.Path(3)).throughput(0.5),
        8.0,
    ),
    "no spike whatever is drawn": (lambda: spiked(0.0), 0),
    "a spike": (lambda: spiked(0.1), 1),
    "PCI Express 2": (lambda: pcie.Link(2, 1).encoding, (8, 10)),
    "PCI Express 3": (lambda: pcie.Link(3, 1).encoding, (128, 130)),
    # Prefixes.
    "a prefix holds itself": (lambda: routes.Prefix(4, 0, 8).holds(routes.Prefix(4, 0, 8)), True),
    "a shorter one does not fit": (
        lambda: routes.Prefix(4, 0, 8).holds(routes.Prefix(4, 0, 7)),
        False,
    ),
    "beside is not inside": (
        lambda: route_table.share_of_cpu(
            [(0, 8, 24, False), (16, 24, 24, False), (8, 16, 24, True)], 8, 16
        ),
        0.0,
    ),
}


def spiked(chance: float) -> int:
    """Frames of ten that are lost where the least number is drawn."""
    router = simulated.LossSpikes(100, chance, 0.1)
    router.random = SimpleNamespace(random=lambda: 0.0, gauss=lambda mean, _: mean)
    return router.measure(1.0, 10).lost


def enough(mbps: float | None, wanted: float) -> bool | None:
    rate = SimpleNamespace(mbps=mbps, at_least=False)
    return device_choice.part("rate", wanted, rate).enough


def begins(part: str) -> bool:
    return devices._beginning(part, devices.find("CCR2004-16G-2S+"))


def clock(share: float, measure: Any = "timed") -> str:
    used = {"send_cpu_seconds": share, "send_seconds": 1.0}
    trial = Trial.model_construct(valid=True, arrangement="coupled", intended_load=None,
                                  condition="a", counts=used)  # fmt: skip
    return parts.clock_of([trial], measure)


def padding(size: int) -> int | None:
    """Bytes of padding around a packet of so many; None without any."""
    frame = eoip_bytes.link_frame([eoip_bytes.field("", "", bytes(size), "link")], pppoe=False)
    pads = [len(part.values) for part in frame if part.part.startswith("padding")]
    return sum(pads) if pads else None


STARTED = storing.datetime(2026, 1, 1, tzinfo=storing.UTC)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_at_a_bound(name: str) -> None:
    question, answer = ANSWERS[name]
    assert question() == answer


@pytest.mark.parametrize(
    ("seconds", "kept"), [(59.9, False), (60.0, True)], ids=["shorter", "as long"]
)
def test_a_search_as_long_as_rfc_2544_asks_is_no_deviation(seconds: float, kept: bool) -> None:
    profile = profiles.load("standard")
    search = profile.search.model_copy(update={
        "final_trial_duration": seconds, "loss_ratios": (0.0,), "exceed_ratio": 0.0,
    })  # fmt: skip
    waits = profile.waits.model_copy(update={"settle_seconds": 2.0})
    whole = profile.model_copy(update={"search": search, "waits": waits})
    assert (whole._deviations_of_the_search() == []) is kept


@pytest.mark.parametrize(
    ("test", "word", "asked", "less"),
    [("latency", "seconds", 120.0, 0.1), ("frame_loss", "seconds", 60.0, 0.1),
     ("back_to_back", "seconds", 2.0, 0.1), ("recovery", "seconds", 60.0, 0.1),
     ("latency", "repeats", 20, 1), ("back_to_back", "repeats", 50, 1), ("reset", "share", 1, 0.1)],
)  # fmt: skip
def test_as_much_as_rfc_2544_asks_is_no_deviation(
    test: str, word: str, asked: float, less: float
) -> None:
    profile = profiles.load("rfc2544")

    def sentences(value: float) -> int:
        spec = getattr(profile.suite, test).model_copy(update={word: value})
        suite = profile.suite.model_copy(update={test: spec})
        return len(profile.model_copy(update={"suite": suite}).deviations_of_the_suite())

    assert sentences(asked - less) == sentences(asked) + 1 == sentences(asked + less) + 1


def test_a_search_ends_where_its_interval_is_narrow_enough() -> None:
    """From 1 to 2 half of the upper end is reached at once, a little less after one more trial."""
    for width, trials in ((0.5, 2), (0.4999, 3)):
        router = simulated.FailsAtAnyRate(1.0)
        searched = binary_search(router.measure, 1e6, 2e6, relative_width=width)
        assert (router.trials, searched.throughput) == (trials, None)


# --- against the same by hand -----------------------------------------------------------------

INTERVALS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 3), st.booleans()), min_size=0, max_size=4
)


@given(INTERVALS, st.integers(0, 5), st.integers(1, 3))
def test_the_cpus_share_is_what_each_address_says(
    rows: list[tuple[int, int, bool]], start: int, width: int
) -> None:
    """Rows of one length each, so that none overlaps another of its length."""
    intervals = [(low, low + size, 8 + place, chip) for place, (low, size, chip) in enumerate(rows)]
    end = start + width

    def by_cpu(address: int) -> bool:
        over = [(length, chip) for low, high, length, chip in intervals if low <= address < high]
        return not over or not max(over)[1]

    share = sum(map(by_cpu, range(start, end))) / width
    assert route_table.share_of_cpu(intervals, start, end) == pytest.approx(share)


@given(st.integers(0, 5), st.integers(1, 5), st.integers(0, 5), st.integers(1, 5))
def test_a_row_without_another(first: int, count: int, other: int, others: int) -> None:
    def row(start: int, count: int) -> route_table.Run:
        return route_table.Run((4, start << 8, 24), count, "forward", ())

    rest = route_table._without(row(first, count), row(other, others))
    left = {a >> 8 for run in rest for a in range(run.address, run.end, run.step)}
    assert left == set(range(first, first + count)) - set(range(other, other + others))
    assert all(run.count > 0 for run in rest)


@given(st.integers(1, 4000), st.sampled_from([IPV4, IPV6]), st.integers(68, 1600))
def test_fragments_carry_the_whole_packet_and_fit(size: int, header: int, mtu: int) -> None:
    size += header
    sizes = overhead.fragments(size, header, mtu)
    head = header if len(sizes) == 1 else header + (8 if header == IPV6 else 0)
    assert sum(part - head for part in sizes) == size - header
    assert all(head < part <= mtu for part in sizes)
    assert all((part - head) % 8 == 0 for part in sizes[:-1])
    # None could have been a fragment less.
    assert all(a >= b for a, b in pairwise(sizes[:-1]))
    room = (mtu - head) // 8 * 8
    assert len(sizes) == 1 or len(sizes) <= math.ceil((size - header) / room)


@given(st.lists(st.integers(0, 5), max_size=6), st.integers(0, 20), st.integers(0, 20))
def test_a_cut_has_the_bytes_and_no_empty_fields(
    sizes: list[int], offset: int, length: int
) -> None:
    data = bytes(range(sum(sizes)))
    ends = [sum(sizes[:place]) for place in range(len(sizes) + 1)]
    fields = [eoip_bytes.field("", "", data[a:b], "inside") for a, b in pairwise(ends)]
    cut = eoip_bytes.cut(fields, offset, length)
    assert eoip_bytes.known(cut) == data[offset : offset + length]
    assert all(part.values for part in cut)
