"""The record of `ppslab tcp`: goodput, retransmits, round-trip time and fairness by condition."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.core.documents.strict import StrictModel
from ppslab.model import recorded
from ppslab.model.lab.tcp_schema import TcpDirection
from ppslab.model.results.header import Run
from ppslab.model.results.trials import Arrangement
from ppslab.model.validity import Cause

__all__ = [
    "LinkCounts",
    "RoundTrip",
    "RouterCounts",
    "TcpDirection",
    "TcpRecord",
    "Transfer",
    "Way",
]


class RoundTrip(StrictModel):
    """TCP's own smoothed round-trip time over all streams of a way, in microseconds."""

    min: float = Field(description="the least, in microseconds")
    median: float = Field(description="the median, in microseconds")
    p95: float = Field(description="95 % were at most this, in microseconds")
    max: float = Field(description="the largest, in microseconds")
    count: int = Field(description="how many values there are")


class Way(StrictModel):
    """One way of a transfer: all instances and streams from one host to another.

    The tuples of streams have one value each, in the same order.
    """

    client: str = Field(description="the host that sends")
    server: str = Field(description="the host that receives")
    seconds: float = Field(gt=0, description="how long the receivers received")
    congestion: str = Field(description="the senders' congestion control")
    received_bytes: tuple[int, ...] = Field(description="read by the receiving programs")
    retransmits: tuple[int, ...] = Field(description="segments that the senders sent again")
    rtt_us: tuple[float, ...] = Field(description="a stream's median smoothed round-trip time")
    round_trip: RoundTrip = Field(description="the round-trip time over all streams")
    cpu_sender: float = Field(description="of the sending programs together, in CPUs")
    cpu_receiver: float = Field(description="of the receiving programs together, in CPUs")
    segment_size: int | None = Field(
        default=None, description="bytes of data in a full segment, as the senders' TCP has it"
    )
    addresses: tuple[str, str] | None = Field(default=None, description="client, server")
    ports: tuple[tuple[int, int], ...] = Field(
        default=(), description="a stream's TCP ports: the client's, the server's"
    )

    @property
    def goodput(self) -> float:
        """Bits per second that arrived once and in order (RFC 2647 section 3.17)."""
        return recorded.goodput(self.received_bytes, self.seconds)

    @property
    def fairness(self) -> float:
        """Jain's index over the streams, 1/n to 1 (RFC 5166 section 2.3)."""
        values = self.received_bytes
        squares = len(values) * sum(value * value for value in values)
        return sum(values) ** 2 / squares if squares else 0.0


class LinkCounts(StrictModel):
    """What one of the router's ports counted."""

    rx_packets: int = Field(description="packets received")
    rx_bytes: int = Field(description="bytes received")
    tx_packets: int = Field(description="packets sent")
    tx_bytes: int = Field(description="bytes sent")


class RouterCounts(StrictModel):
    """What the router and the CPUs counted between the start and the end of a transfer.

    Packets are as the kernel hands them around: with segmentation offload one of them may be many
    frames.  `dropped`: by the backlog queue of a CPU, which is the machine's and not one node's.
    """

    packets: int = Field(description="received by the router's ports")
    bytes: int = Field(description="received by the router's ports")
    port_drops: int = Field(description="receive and transmit drops of the router's ports")
    dropped: dict[str, int] = Field(description="CPU number to packets (softnet_stat)")
    links: dict[str, LinkCounts] = Field(default_factory=dict, description="by the router's port")
    busy: dict[str, float] = Field(
        default_factory=dict, description="CPU number to the share of the time that it worked"
    )


class Transfer(StrictModel):
    """One transfer: its state, its validity, and only then its measurement."""

    number: int = Field(ge=0, description="order in which the transfers ran")
    purpose: Literal["transfer", "a-a"] = Field(
        description="a-a: the reference condition once more, for the A/A interval"
    )
    condition: str = Field(description="the condition's name in the lab")
    direction: TcpDirection = Field(description="which ways data went")
    round: int = Field(description="transfers of one round are paired")
    attempt: int = Field(default=1, description="1, or more where it was repeated")
    at_seconds: float = Field(description="start, seconds after the run's start")
    state: Literal["completed", "aborted"] = Field(description="aborted: it ended early")
    valid: bool = Field(description="whether it says something of the router")
    invalid_because: tuple[str, ...] = Field(default=(), description="why not, as sentences")
    causes: tuple[Cause, ...] = Field(
        default=(), description="what invalid_because says, for programs"
    )
    steal: float | None = Field(
        default=None, description="share that the hypervisor took of the CPU that lost most"
    )
    ways: tuple[Way, ...] = Field(
        default=(), description="each way that data went; both ways are two"
    )
    router: RouterCounts | None = Field(
        default=None, description="what the router counted; null: the transfer did not end"
    )
    counters: dict[str, int] = Field(
        default_factory=dict, description="by how much the condition's counters grew"
    )

    @property
    def goodput(self) -> float:
        """Bits per second over all ways."""
        return sum(way.goodput for way in self.ways)

    @property
    def retransmits(self) -> int:
        """Segments that were sent again, over all ways."""
        return sum(sum(way.retransmits) for way in self.ways)


class TcpRecord(Run):
    """One run of `ppslab tcp`; `trials` is empty, `transfers` has what was measured."""

    schema_version: Literal["ppslab/tcp/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    reference: str = Field(description="the condition that all others are compared with")
    arrangement: Arrangement = Field(
        description="separate: the router has a CPU of its own; coupled: whoever sends routes"
    )
    instances: int = Field(description="of iperf3 on each host; a condition may have others")
    streams: int = Field(description="connections of each instance; a condition may have others")
    seconds: int = Field(description="of one transfer, slow start included")
    segment_size: int = Field(description="bytes of data in a full segment, by the hosts' links")
    offloads: bool = Field(
        description="segmentation and receive offload on hosts and router; "
        "off: a packet is a frame of the wire"
    )
    explanations: tuple[str, ...] = Field(description="how to read the retransmits")
    transfers: tuple[Transfer, ...] = Field(
        description="every transfer, in the order in which they ran"
    )

    def of_the_labs(self) -> int:
        """How many of the conditions that its lab now measures with TCP it has."""
        spec = self.lab_now()
        if spec is None:
            return len(self.conditions)
        every = {condition.name for condition in spec.conditions}
        asked = set(spec.tcp.conditions) if spec.tcp and spec.tcp.conditions else every
        return len(asked & {condition.name for condition in self.conditions})
