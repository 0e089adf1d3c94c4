"""`ppslab tcp`: TCP between hosts on both sides of the lab's router, by condition and direction.

Conditions and directions stand in random order in every round, so that what drifts hits them
alike; the reference condition stands in each round twice, which gives the A/A interval.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ppslab import documents, profiles, results
from ppslab.errors import FileError, UsageError
from ppslab.ground import Ground
from ppslab.lab import Condition, Lab, Tcp
from ppslab.numbers import plural
from ppslab.place import Place
from ppslab.results import TcpDirection
from ppslab.routers.linux import BpfMode
from ppslab.session import Progress, Session, State
from ppslab.tcp_ground import TcpGround, stand_tcp
from ppslab.tcp_transfer import Purpose, Wanted, ends, transfer
from ppslab.tcp_words import DIRECTIONS

__all__ = [
    "DIRECTIONS",
    "Options",
    "TcpSession",
    "Wanted",
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
class Options(Place):
    """What to measure and where; no conditions means those of lab.yml.

    `offloads`: leave GSO, GRO and TSO on.
    """

    conditions: tuple[str, ...] = ()
    offloads: bool = False


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.TcpRecord, Path]:
    """Measure `lab` with TCP and write the record; returns it and the file that it is in.

    Stopped by Ctrl-C or a failure, what was measured until then is written as an aborted record,
    and the reason is raised.  UsageError for what the lab does not have (its lab.yml must say
    `tcp:`); CannotHereError where no backend can, or iperf3 is missing.
    """
    words = lab.words.tcp
    if options.router != "linux":
        raise UsageError(
            "ppslab tcp counts in the queues of a Linux router's CPUs, which no other router "
            "shows: --router linux; ppslab run and ppslab rfc2544 measure a RouterOS router"
        )
    if words is None:
        raise UsageError(f"lab {lab.name} says nothing of TCP: its lab.yml has no `tcp:`")
    _check_ends(lab, words)
    names = options.conditions or words.conditions
    session = TcpSession.prepare(lab, names, options, progress)
    session.offloads = options.offloads
    seconds = words.seconds or profiles.load(options.profile).tcp.seconds
    return session.measure(
        lambda open_session: _measure(open_session, seconds),
        lambda open_session, state: _record(open_session, state, seconds),
    )


class TcpSession(Session):
    """A session that stands on hosts in the place of a tester."""

    offloads = False

    @property
    def tcp(self) -> TcpGround:
        """The hosts and the router; only of an open session."""
        assert isinstance(self.ground, TcpGround)
        return self.ground

    def _stand(self, stack: ExitStack) -> Ground:
        ground = stand_tcp(
            stack,
            self.backend,
            self.lab,
            profiles.load(self.place.profile),
            offloads=self.offloads,
        )
        for condition in self.conditions:
            if condition.linux.bpf:
                ground.router.bpf_modes[condition.linux.bpf] = BPF_MODE
        self.tester = results.Tester(name="iperf3", version=ground.version())
        return ground


def _check_ends(lab: Lab, words: Tcp) -> None:
    if words.pairs:
        return
    path = lab.folder / "lab.yml"
    for name in words.conditions or lab.conditions:
        flow = lab.flows(lab.conditions[name])[0]
        for port in (flow.tx_name, flow.rx_name):
            if port not in words.hosts:
                line = documents.load_yaml(path).line("tcp", "hosts")
                raise FileError(
                    path, line, f"tcp: hosts: none behind port {port} (flow {flow.name})"
                )


def _measure(session: Session, seconds: int) -> None:
    assert isinstance(session, TcpSession)
    words = session.tcp.words
    order = random.Random(session.seed)
    reference = next((c for c in session.conditions if c.name == session.lab.words.reference), None)
    slots: list[tuple[Purpose, Condition, TcpDirection]] = [
        ("transfer", c, direction) for c in session.conditions for direction in words.directions
    ]
    if reference:
        slots += [("null", reference, direction) for direction in words.directions]
    rounds = words.rounds or session.profile.tcp.rounds
    session.progress.plan(rounds * len(slots))
    session.progress.stage(f"transfers of {seconds} s")
    for number in range(rounds):
        order.shuffle(slots)
        for purpose, condition, direction in slots:
            wanted = Wanted(words, seconds, purpose, condition, direction, number)
            session.progress.trial(transfer(session.tcp, session.lab, wanted))


def _record(session: Session, state: State, seconds: int) -> results.TcpRecord:
    assert isinstance(session, TcpSession)
    ground = session.tcp
    words, wanted = ground.words, session.lab.words.tcp
    said = [
        "TCP is no test of RFC 2544: its senders set the load themselves, by what is lost.",
        f"A transfer lasts {seconds} s, and its slow start is a part of it.",
        "iperf3's server counts what arrives while it ends, which its clock does not: on a path of "
        "100 Mbit/s it told 6 to 12 % too much of 2 s; a faster path empties its queues sooner.",
    ]
    if any(condition.linux.bpf for condition in session.conditions):
        said.append(
            f"BPF programs are attached by {BPF_MODE}; `ppslab run` chooses by measuring, here not."
        )
    if wanted is not None and wanted != words:
        said.append(
            f"Scaled to what emulated CPUs carry: {plural(words.instances, 'instance')} of iperf3 "
            f"with {words.streams} streams on each host, not {wanted.instances} with "
            f"{wanted.streams}."
        )
    head = {**session.head(state, said), "trials": ()}
    return results.TcpRecord(
        schema="ppslab/tcp/1",
        **head,
        reference=session.lab.words.reference,
        arrangement=ground.arrangement,
        instances=words.instances,
        streams=words.streams,
        seconds=seconds,
        segment_size=ground.mtu - HEADERS,
        offloads=session.offloads,
        explanations=explanations(ground.arrangement, session.offloads),
        transfers=tuple(ground.trials),
    )


def explanations(arrangement: results.Arrangement, offloads: bool) -> tuple[str, ...]:
    """How to read the retransmits of a saturated path, one sentence each."""
    said = [
        "Retransmits on a saturated path are no fault: a TCP sender sends ever faster until a "
        "queue on the way overflows, and learns its rate from the segment that was lost.",
        "So a slower router has more of them for each packet, and so has a shorter queue; compare "
        "them between conditions, not with zero.",
    ]
    if arrangement == "separate":
        said.append(
            "The queues here are the backlogs of two CPUs, the router's and the hosts' "
            "(net.core.netdev_max_backlog, 1000 packets each): whose overflowed, `dropped` says."
        )
    else:
        said.append(
            "Hosts and router share the CPUs here: a busy sender holds the router up, so few "
            "segments are lost, and the goodput is that of hosts and router together."
        )
    if offloads:
        said.append(
            "Offloads are on: the router forwards bundles of segments, so packets per second here "
            "are not those of a wire."
        )
    return tuple(said)
