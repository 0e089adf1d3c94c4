"""The streams of a lab, in the vocabulary of the Open Traffic Generator models.

Flow, transmit and receive port, packet headers: any tester that speaks OTG can send them.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, StringConstraints, Tag, model_validator

from ppslab.core.documents.strict import StrictModel

UDP: Final = 17
TCP: Final = 6
"""IP protocol numbers (IPv6: next header)."""

TTL: Final = 64
"""And hop limit, where a flow says none."""

Mac = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$")]


class Increment(StrictModel):
    """A header field that steps through `count` values from `start` (OTG pattern `increment`)."""

    start: int | str  # the first value: a number, or an address
    step: int = 1  # by how much each value is larger than the one before
    count: int = Field(ge=1)  # how many values there are; then the first comes again


class Random(StrictModel):
    """A header field drawn anew for each frame, evenly from `min` to `max` (OTG pattern `random`).

    `seed`: the same seed draws the same values, in every trial.
    """

    min: int | str  # the least value: a number, or an address
    max: int | str  # the largest value
    seed: int = Field(default=1, ge=1, le=2**32 - 1)

    @model_validator(mode="after")
    def _range(self) -> Random:
        if isinstance(self.min, int) != isinstance(self.max, int):
            raise ValueError("min and max are two numbers or two addresses")
        if isinstance(self.min, str) and (
            ip_address(self.min).version != ip_address(self.max).version
        ):
            raise ValueError("min and max are both IPv4 or both IPv6")
        if self.count < 1:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    @property
    def count(self) -> int:
        """Number of values to draw from."""
        if isinstance(self.min, int) and isinstance(self.max, int):
            return self.max - self.min + 1
        return int(ip_address(self.max)) - int(ip_address(self.min)) + 1


def _kind(value: Any) -> str:
    """Discriminate a field's form, so that an error speaks of that form alone."""
    if isinstance(value, dict):
        return "random" if {"min", "max"} & value.keys() else "increment"
    return type(value).__name__.lower() if isinstance(value, Increment | Random) else "fixed"


_Increment = Annotated[Increment, Tag("increment")]
_Random = Annotated[Random, Tag("random")]
Address = Annotated[Annotated[str, Tag("fixed")] | _Increment | _Random, Discriminator(_kind)]
PortNumber = Annotated[Annotated[int, Tag("fixed")] | _Increment | _Random, Discriminator(_kind)]
"""A field of a header: one value, or a pattern of values."""

Pattern = Increment | Random


def first_value(value: int | str | Pattern) -> int | str:
    """A field's value, or the lowest one of its pattern."""
    if isinstance(value, Increment):
        return value.start
    return value.min if isinstance(value, Random) else value


def how_many(value: int | str | Pattern) -> int:
    """Number of values of a field: 1, or those of its pattern."""
    return value.count if isinstance(value, Increment | Random) else 1


class Ethernet(StrictModel):
    """Ethernet header: source and destination address, and the tag of a VLAN (OTG `vlan`)."""

    src: Mac  # the MAC address that the frames come from
    dst: Mac  # the MAC address that the frames go to
    # the ID of the VLAN they are tagged with; none: no tag
    vlan: int | None = Field(default=None, ge=1, le=4094)


class Internet(StrictModel):
    """IPv4 or IPv6 header: source and destination address, or a pattern of addresses.

    `protocol`: a number that RFC 3692 keeps for experiments, in front of bytes laid out as UDP's
    (OTG ipv4.protocol, ipv6.next_header); null: what the next header says.  `ttl`: of IPv6 the hop
    limit (OTG ipv4.time_to_live, ipv6.hop_limit).
    """

    src: Address  # source address, or a pattern of addresses
    dst: Address  # destination address, or a pattern of addresses
    protocol: int | None = Field(default=None, ge=253, le=254)
    ttl: int = Field(default=TTL, ge=1, le=255)


class Udp(StrictModel):
    """UDP header: ports, or a pattern of ports."""

    src_port: PortNumber  # source port, or a pattern of ports
    dst_port: PortNumber  # destination port, or a pattern of ports


class Segment(Udp):
    """TCP header: ports, or a pattern of ports; data segments of an open connection."""


class Answered(StrictModel):
    """Each connection of a flow is answered once before the trial, from the receiving port.

    `ethernet`: of the answers.  `src`, `dst`: their addresses where the router translates some;
    null: the flow's own, swapped.
    """

    ethernet: Ethernet
    src: str | None = None
    dst: str | None = None


class Header(StrictModel):
    """One header of a packet; exactly one of the words is given."""

    ethernet: Ethernet | None = None  # an Ethernet header
    ipv4: Internet | None = None  # an IPv4 header
    ipv6: Internet | None = None  # an IPv6 header
    udp: Udp | None = None  # a UDP header
    tcp: Segment | None = None  # the header of a TCP segment

    @model_validator(mode="after")
    def _one(self) -> Header:
        given = [word for word in Header.model_fields if getattr(self, word)]
        if len(given) != 1:
            raise ValueError(f"a header is one of {', '.join(Header.model_fields)}")
        return self


class Flow(StrictModel):
    """A stream of frames from one port of the tester to another (OTG `flow`).

    `hold`: so many frames in a row have the same values in the fields that have a pattern, as the
    packets of one short connection.  `answered`: its connections are open before the trial, and
    not random, as each must be met.
    """

    name: str  # what the flow is called in counts and results
    tx_name: str  # the port of the lab that the tester sends from
    rx_name: str  # the port of the lab at which the frames are to arrive
    hold: int = Field(default=1, ge=1, le=2**24)
    answered: Answered | None = None
    packet: tuple[Header, ...]  # the headers of a frame, the outermost first

    @model_validator(mode="after")
    def _stack(self) -> Flow:
        kinds = [next(w for w in Header.model_fields if getattr(h, w)) for h in self.packet]
        stacks = [["ethernet", ip, over] for ip in ("ipv4", "ipv6") for over in ("udp", "tcp")]
        if kinds not in stacks:
            raise ValueError("a packet is ethernet, then ipv4 or ipv6, then udp or tcp")
        if self.internet.protocol and self.packet[2].tcp:
            raise ValueError(f"protocol {self.internet.protocol} is laid out as udp, not tcp")
        if self.answered and self.ethernet.vlan:
            raise ValueError("a VLAN tag is of the sending port alone: it cannot be answered")
        version = 4 if "ipv4" in kinds else 6
        answers = (self.answered.src, self.answered.dst) if self.answered else ()
        for address in (self.internet.src, self.internet.dst, *filter(None, answers)):
            first = first_value(address)
            if ip_address(first).version != version:
                raise ValueError(f"{first} is not an IPv{version} address")
        return self

    @property
    def ipv6(self) -> bool:
        return self.packet[1].ipv6 is not None

    @property
    def stepping(self) -> tuple[int | str | Pattern, ...]:
        """The fields that may have a pattern: addresses, then ports."""
        ports = self.transport
        return (self.internet.src, self.internet.dst, ports.src_port, ports.dst_port)

    @property
    def ethernet(self) -> Ethernet:
        header = self.packet[0].ethernet
        assert header is not None
        return header

    @property
    def internet(self) -> Internet:
        header = self.packet[1].ipv4 or self.packet[1].ipv6
        assert header is not None
        return header

    @property
    def protocol(self) -> int:
        """The IP protocol number (IPv6: next header): 17, 6, or one for experiments."""
        return self.internet.protocol or (TCP if self.packet[2].tcp else UDP)

    @property
    def transport(self) -> Udp:
        header = self.packet[2].udp or self.packet[2].tcp
        assert header is not None
        return header
