"""The traffic of a test on a reader's own router, shown before anything is sent.

RFC 6815: tests that load a network until it loses frames belong into an isolated test network, and
never into one that carries anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from ppslab.core.text.tables import Table
from ppslab.core.units import human_rate, line_rate
from ppslab.model.lab.lab import Condition, Flow, Lab
from ppslab.model.lab.packets import Increment, Pattern, Random, first_value
from ppslab.model.lab.profiles import Profile
from ppslab.testbed.backends.nodes import interfaces
from ppslab.testbed.routers.bench_inventory import CABLE, RFC_6815, BenchInventory

AS_FAST = "as fast as the tester can"


@dataclass(frozen=True)
class Trials:
    """Trials of one kind: about `number` of them, of `seconds` each."""

    what: str
    """The kind of trial."""
    sizes: tuple[int, ...]
    """Bytes of a frame, with the frame check sequence."""
    rate: str
    """The load, in words."""
    seconds: float
    number: int


def of_a_run(
    profile: Profile,
    conditions: Sequence[Condition],
    sizes: Sequence[int],
    searched: Sequence[Condition],
    a_search: int,
) -> tuple[Trials, ...]:
    """The trials of `ppslab run`; `a_search`: about how many trials one search has."""
    cost, search = profile.cost, profile.search
    smallest = min(sizes)
    rounds = cost.rounds + (len(set(sizes)) - 1) * cost.rounds_other_sizes
    kinds = [
        # One more: the reference condition stands in each round twice.
        Trials("rounds", tuple(sizes), AS_FAST, cost.trial_seconds, rounds * (len(conditions) + 1))
    ]
    if searched:
        of = tuple(sizes) if search.sizes == "all" else (smallest,)
        number = a_search * len(searched) * len(of)
        rate = "at most twice what the tester carries alone"
        kinds.append(Trials("search", of, rate, search.final_trial_duration, number))
    return tuple(kinds)


def of_the_suite(profile: Profile, conditions: int, sizes: Sequence[int]) -> tuple[Trials, ...]:
    """The trials of `ppslab rfc2544`, as far as they are known before the first."""
    suite = profile.suite
    chosen = tuple(sizes) or suite.sizes
    other = tuple(sizes) or suite.sizes_of_other_tests
    share = "shares of the throughput"
    one, last = conditions * len(other), profile.search.final_trial_duration
    a_share = len(suite.latency.shares) * suite.latency.repeats
    return (
        Trials("throughput", chosen, "at most twice what the tester carries alone", last, 0),
        Trials("latency", other, share, suite.latency.seconds, one * a_share),
        Trials("frame loss", chosen, f"down from the throughput by {suite.frame_loss.step:.0%}",
               suite.frame_loss.seconds, 0),
        Trials("bursts", other, AS_FAST, suite.back_to_back.seconds, 0),
        Trials("recovery", other, "110 % of the throughput",
               suite.recovery.seconds + suite.recovery.after_seconds, one * suite.recovery.repeats),
        Trials("reset", (min(other),), share, suite.reset.seconds,
               conditions * suite.reset.repeats),
    )  # fmt: skip


def tables(
    lab: Lab,
    dut: BenchInventory,
    conditions: Sequence[Condition],
    trials: Sequence[Trials],
    waits: float,
) -> tuple[Table, ...]:
    """Ports, streams and trials; `waits`: seconds around the sending of each trial.

    FileError where the inventory has not the lab's ports; UsageError where this machine has not
    the interfaces.
    """
    return (
        _ports(lab, dut, conditions, trials),
        _streams(lab, conditions),
        _trials(trials, waits),
        _changes(lab, dut, conditions),
    )


def _ports(
    lab: Lab, dut: BenchInventory, conditions: Sequence[Condition], trials: Sequence[Trials]
) -> Table:
    router = dut.router_ports(lab)
    macs = _router_macs(lab, conditions)
    here = dut.tester_ports(lab) if dut.spec.tester else {}
    sizes = sorted({size for kind in trials for size in kind.sizes})
    known = {port: interfaces.look(here[port]) for port in lab.spec.ports if here}
    notes = [f"The router answers at {dut.spec.routeros.url}, asked as user {dut.user}."]
    if here and dut.cable:
        left, right = dut.cable
        notes.append(
            f"The cable between {left} and {right} ({' and '.join(CABLE)}) measures the tester "
            "alone."
        )
    return Table.of(
        f"{lab.title}: the ports that frames go to",
        lab.spec.ports,
        {
            "port": lambda port: port,
            "of the router": lambda port: router[port],
            "MAC address there": lambda port: ", ".join(macs.get(port, ())) or "-",
            "of the tester": lambda port: (
                f"{known[port].name} ({known[port].mac})" if here else "the tester's own"
            ),
            "at most": lambda port: _most(known[port].speed if here else None, sizes),
        },
        *notes,
    )


def _router_macs(lab: Lab, conditions: Sequence[Condition]) -> dict[str, tuple[str, ...]]:
    """The addresses that a port's frames go to: of the streams that enter there."""
    addresses: dict[str, dict[str, None]] = {}
    groups = dict.fromkeys(condition.flows for condition in conditions if condition.flows)
    for flow in chain.from_iterable(lab.spec.flows[group] for group in groups):
        addresses.setdefault(flow.tx_name, {})[flow.ethernet.dst] = None
    return {port: tuple(macs) for port, macs in addresses.items()}


def _most(speed: int | None, sizes: Sequence[int]) -> str:
    if speed is None or not sizes:
        return "unknown: it reports no speed"
    rate = human_rate(line_rate(sizes[0], speed))
    return f"{speed / 1e9:g} Gbit/s, {rate} of {sizes[0]} bytes"


def _streams(lab: Lab, conditions: Sequence[Condition]) -> Table:
    used: dict[str, list[str]] = {}
    for condition in conditions:
        if condition.flows:
            used.setdefault(condition.flows, []).append(condition.name)
    return Table.of(
        "The streams; all streams of a condition are sent at once",
        [flow for group in used for flow in lab.spec.flows[group]],
        {
            "stream": lambda flow: flow.name,
            "ports": lambda flow: f"{flow.tx_name} to {flow.rx_name}",
            "MAC addresses": lambda flow: f"{flow.ethernet.src} to {flow.ethernet.dst}",
            "addresses": lambda flow: f"{_field(flow.internet.src)} to {_field(flow.internet.dst)}",
            "protocol and ports": _transport,
        },
        *(f"{group}: {', '.join(names)}" for group, names in used.items()),
    )


def _field(value: int | str | Pattern) -> str:
    first = str(first_value(value))
    if isinstance(value, Increment) and value.count > 1:
        return f"{first} and {value.count - 1} more"
    return f"{first} to {value.max}" if isinstance(value, Random) else first


def _transport(flow: Flow) -> str:
    name = {17: "UDP", 6: "TCP"}.get(flow.protocol, f"protocol {flow.protocol}")
    return f"{name} {_field(flow.transport.src_port)} to {_field(flow.transport.dst_port)}"


def _trials(trials: Sequence[Trials], waits: float) -> Table:
    known = sum(kind.number * (kind.seconds + waits) for kind in trials)
    time = f"{known / 60:.0f} minutes" if known >= 120 else f"{known:.0f} s"
    return Table.of(
        "The trials",
        trials,
        {
            "what for": lambda kind: kind.what,
            "frame sizes": lambda kind: ", ".join(map(str, kind.sizes)),
            "rate": lambda kind: kind.rate,
            "sends for": lambda kind: f"{kind.seconds:g} s",
            "trials": lambda kind: f"about {kind.number}" if kind.number else "as many as it needs",
        },
        f"The trials whose number is known take about {time}, without the time to "
        "configure the router and to read it back.",
        RFC_6815,
    )


def _changes(lab: Lab, dut: BenchInventory, conditions: Iterable[Condition]) -> Table:
    """The files of a condition are sent statement by statement, and taken back at the end."""
    return Table.of(
        f"What is configured on the router at {dut.host}, one condition after the other",
        conditions,
        {
            "condition": lambda c: c.name,
            f"files in labs/{lab.name}": lambda c: ", ".join(c.routeros) or "none",
        },
        "A backup is taken first. ppslab undoes its changes at the end, and leaves other "
        "settings alone; if a run is killed, the next run undoes its changes.",
    )
