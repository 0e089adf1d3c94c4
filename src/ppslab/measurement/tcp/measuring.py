"""`ppslab tcp`: TCP between hosts on both sides of the lab's router, by condition and direction.

Conditions and directions stand in random order in every round, so that what drifts hits them
alike; the reference condition stands in each round twice, which gives the A/A interval.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ppslab import results
from ppslab.backends import Backend
from ppslab.base import documents
from ppslab.base.errors import FileError, UsageError
from ppslab.base.text.numbers import plural
from ppslab.lab.lab import Condition, Lab, Tcp
from ppslab.lab.tcp_schema import DIRECTIONS
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import OpenSession, Progress, Session, State
from ppslab.measurement.tcp.testbed import TcpTestbed, stand_tcp
from ppslab.measurement.tcp.transfer import Purpose, TransferSpec, ends, transfer
from ppslab.results import TcpDirection
from ppslab.routers.linux.router import BpfMode

__all__ = [
    "DIRECTIONS",
    "Options",
    "TcpSession",
    "TransferSpec",
    "ends",
    "explanations",
    "run",
    "transfer",
]

HEADERS = 52
"""Bytes of a frame's payload that carry no data: IPv4 20, TCP 20, its timestamps 12."""

BPF_MODE: BpfMode = "tc"
"""How a BPF program is attached here: `ppslab run` chooses by measuring UDP frames, TCP is not."""


@dataclass(frozen=True)
class Options(RunOptions):
    """What to measure and where; no conditions means those of lab.yml.

    `offloads`: leave GSO, GRO and TSO on.
    """

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    offloads: bool = False


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.TcpRecord, Path]:
    """Measure `lab` with TCP and write the record; returns it and the file that it is in.

    Stopped by Ctrl-C or a failure, what was measured until then is written as an aborted record,
    and the reason is raised.  UsageError for what the lab does not have (its lab.yml must say
    `tcp:`); CannotHereError where no backend can, or iperf3 is missing.
    """
    tcp_spec = lab.spec.tcp
    if options.router != "linux":
        raise UsageError(
            "ppslab tcp counts in the queues of a Linux router's CPUs, which no other router "
            "shows: --router linux; ppslab run and ppslab rfc2544 measure a RouterOS router"
        )
    if tcp_spec is None:
        raise UsageError(f"lab {lab.name} says nothing of TCP: its lab.yml has no `tcp:`")
    _check_ends(lab, tcp_spec)
    names = options.conditions or tcp_spec.conditions or tuple(lab.conditions)
    session = TcpSession(lab, [lab.condition(name) for name in names], options, progress)
    seconds = tcp_spec.seconds or session.profile.tcp.seconds
    return session.measure(
        lambda opened: _measure(opened, seconds),
        lambda opened, state: _record(opened, state, seconds),
        results.TcpRecord,
    )


class TcpSession(Session[TcpTestbed]):
    """A session that stands on hosts in the place of a tester."""

    sends = False

    def __init__(
        self, lab: Lab, conditions: Sequence[Condition], options: Options, progress: Progress | None
    ) -> None:
        super().__init__(lab, conditions, options, progress)
        self.offloads = options.offloads

    def stand(self, stack: ExitStack, backend: Backend, progress: Progress) -> TcpTestbed:
        """The hosts, and the router between them."""
        testbed = stand_tcp(stack, backend, self.lab, self.profile, offloads=self.offloads)
        for condition in self.asked:
            if condition.linux.bpf:
                testbed.router.bpf_modes[condition.linux.bpf] = BPF_MODE
        return testbed


def _check_ends(lab: Lab, tcp_spec: Tcp) -> None:
    if tcp_spec.pairs:
        return
    path = lab.folder / "lab.yml"
    for name in tcp_spec.conditions or lab.conditions:
        flow = lab.flows(lab.conditions[name])[0]
        for port in (flow.tx_name, flow.rx_name):
            if port not in tcp_spec.hosts:
                line = documents.load_yaml(path).line("tcp", "hosts")
                raise FileError(
                    path, line, f"tcp: hosts: none behind port {port} (flow {flow.name})"
                )


def _measure(session: OpenSession[TcpTestbed], seconds: int) -> None:
    testbed = session.testbed
    tcp_spec = testbed.tcp_spec
    session.tester = results.Tester(name="iperf3", version=testbed.version())
    order = random.Random(session.seed)
    named = session.lab.spec.tcp_reference
    reference = next((c for c in session.conditions if c.name == named), None)
    slots: list[tuple[Purpose, Condition, TcpDirection]] = [
        ("transfer", c, direction) for c in session.conditions for direction in tcp_spec.directions
    ]
    if reference:
        slots += [("a-a", reference, direction) for direction in tcp_spec.directions]
    rounds = tcp_spec.rounds or testbed.profile.tcp.rounds
    session.progress.plan(rounds * len(slots))
    session.progress.stage(f"transfers of {seconds} s")
    for number in range(rounds):
        order.shuffle(slots)
        for purpose, condition, direction in slots:
            spec = TransferSpec(tcp_spec, seconds, purpose, condition, direction, number)
            session.progress.trial(transfer(testbed, session.lab, spec))


def _record(session: OpenSession[TcpTestbed], state: State, seconds: int) -> results.TcpRecord:
    testbed = session.testbed
    tcp_spec, in_lab = testbed.tcp_spec, session.lab.spec.tcp
    deviations = [
        "TCP is no test of RFC 2544: its senders set the load themselves, by what is lost.",
        f"A transfer lasts {seconds} s, and its slow start is a part of it.",
        "iperf3's server counts what arrives while it ends, which its clock does not: on a path of "
        "100 Mbit/s it told 6 to 12 % too much of 2 s; a faster path empties its queues sooner.",
    ]
    if any(condition.linux.bpf for condition in session.conditions):
        deviations.append(
            f"BPF programs are attached by {BPF_MODE}; `ppslab run` chooses by measuring, here not."
        )
    if in_lab is not None and in_lab != tcp_spec:
        deviations.append(
            "Scaled to what emulated CPUs carry: "
            f"{plural(tcp_spec.instances, 'instance')} of iperf3 with {tcp_spec.streams} "
            f"streams on each host, not {in_lab.instances} with {in_lab.streams}."
        )
    head = session.head(state, deviations)
    head["trials"] = ()
    return results.TcpRecord(
        schema="ppslab/tcp/2",
        **head,
        reference=session.lab.spec.tcp_reference,
        arrangement=testbed.arrangement,
        instances=tcp_spec.instances,
        streams=tcp_spec.streams,
        seconds=seconds,
        segment_size=testbed.mtu - HEADERS,
        offloads=testbed.offloads,
        explanations=explanations(testbed.arrangement, testbed.offloads),
        transfers=tuple(testbed.trials),
    )


def explanations(arrangement: results.Arrangement, offloads: bool) -> tuple[str, ...]:
    """How to read the retransmits of a saturated path, one sentence each."""
    sentences = [
        "Retransmits on a saturated path are no fault: a TCP sender sends ever faster until a "
        "queue on the way overflows, and learns its rate from the segment that was lost.",
        "So a slower router has more of them for each packet, and so has a shorter queue; compare "
        "them between conditions, not with zero.",
    ]
    if arrangement == "separate":
        sentences.append(
            "The queues here are the backlogs of two CPUs, the router's and the hosts' "
            "(net.core.netdev_max_backlog, 1000 packets each): whose overflowed, `dropped` says."
        )
    else:
        sentences.append(
            "Hosts and router share the CPUs here: a busy sender holds the router up, so few "
            "segments are lost, and the goodput is that of hosts and router together."
        )
    if offloads:
        sentences.append(
            "Offloads are on: the router forwards bundles of segments, so packets per second here "
            "are not those of a wire."
        )
    return tuple(sentences)
