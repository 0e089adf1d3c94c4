"""The streams of a lab, in the vocabulary of the Open Traffic Generator models.

Flow, transmit and receive port, packet headers: any tester that speaks OTG can send them.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from ppslab.lab_words import Words

Mac = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$")]


class Increment(Words):
    """A header field that steps through `count` values from `start` (OTG pattern `increment`)."""

    start: int | str
    step: int = 1
    count: int = Field(ge=1)


class Ethernet(Words):
    """Ethernet header: source and destination address."""

    src: Mac
    dst: Mac


class Internet(Words):
    """IPv4 or IPv6 header: source and destination address, or an increment of addresses."""

    src: str | Increment
    dst: str | Increment


class Udp(Words):
    """UDP header: ports, or an increment of ports."""

    src_port: int | Increment
    dst_port: int | Increment


class Header(Words):
    """One header of a packet; exactly one of the words is given."""

    ethernet: Ethernet | None = None
    ipv4: Internet | None = None
    ipv6: Internet | None = None
    udp: Udp | None = None

    @model_validator(mode="after")
    def _one(self) -> Header:
        given = [word for word in ("ethernet", "ipv4", "ipv6", "udp") if getattr(self, word)]
        if len(given) != 1:
            raise ValueError("a header is one of ethernet, ipv4, ipv6, udp")
        return self


class Flow(Words):
    """A stream of frames from one port of the tester to another (OTG `flow`)."""

    name: str
    tx_name: str
    rx_name: str
    packet: tuple[Header, ...]

    @model_validator(mode="after")
    def _stack(self) -> Flow:
        kinds = [next(w for w in Header.model_fields if getattr(h, w)) for h in self.packet]
        if kinds not in (["ethernet", "ipv4", "udp"], ["ethernet", "ipv6", "udp"]):
            raise ValueError("a packet is ethernet, then ipv4 or ipv6, then udp")
        version = 4 if "ipv4" in kinds else 6
        for address in (self.internet.src, self.internet.dst):
            first = address.start if isinstance(address, Increment) else address
            if ip_address(first).version != version:
                raise ValueError(f"{first} is not an IPv{version} address")
        return self

    @property
    def ethernet(self) -> Ethernet:
        """The Ethernet header."""
        found = self.packet[0].ethernet
        assert found is not None
        return found

    @property
    def internet(self) -> Internet:
        """The IPv4 or IPv6 header."""
        found = self.packet[1].ipv4 or self.packet[1].ipv6
        assert found is not None
        return found

    @property
    def udp(self) -> Udp:
        """The UDP header."""
        found = self.packet[2].udp
        assert found is not None
        return found
