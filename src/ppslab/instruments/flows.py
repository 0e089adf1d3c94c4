"""What ppstraffic is to send: flows and ports, in the words of the Open Traffic Generator models.

A flow knows nothing of rates: the rate of a trial is the aggregate over its flows, in turns.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppslab import lab
from ppslab.errors import UsageError
from ppslab.packets import Increment, Pattern, Random

UDP, TCP = 17, 6

TTL = 64
"""And hop limit, where a flow says none."""


@dataclass(frozen=True)
class Port:
    """A test port: the name that flows use, and the interface on the tester node."""

    name: str
    interface: str

    def argument(self) -> str:
        """The value of `--port`."""
        return f"{self.name}={self.interface}"


@dataclass(frozen=True)
class Flow:
    """One flow.  `protocol`: 17 (UDP), 6 (TCP), 253 or 254 (RFC 3692, laid out as UDP).

    A count above 1 steps its field through that many values, by one; with a seed (`..._random`,
    above 0) each value is drawn from them instead.  `hold`: frames in a row with the same values.
    """

    name: str
    tx_name: str
    rx_name: str
    src_mac: str
    dst_mac: str
    src: str
    dst: str
    src_port: int
    dst_port: int
    src_count: int = 1
    dst_count: int = 1
    src_port_count: int = 1
    dst_port_count: int = 1
    src_random: int = 0
    dst_random: int = 0
    src_port_random: int = 0
    dst_port_random: int = 0
    hold: int = 1
    weight: int = 1
    protocol: int = UDP
    ttl: int = TTL
    reply_src_mac: str | None = None
    """With `reply_dst_mac`: learning also sends the reversed flow from the receiving port, so that
    each connection is met in both directions; TCP opens it."""
    reply_dst_mac: str | None = None
    reply_src: str | None = None
    """Where the router translates addresses: what the answers come from."""
    reply_dst: str | None = None
    """And what they go to."""

    @classmethod
    def of(cls, flow: lab.Flow) -> Flow:
        """The flow of a lab file.  UsageError where it steps by anything but 1."""
        answered = flow.answered
        src, src_count, src_random = _field(flow, "src", flow.internet.src)
        dst, dst_count, dst_random = _field(flow, "dst", flow.internet.dst)
        src_port, src_port_count, src_port_random = _field(
            flow, "src_port", flow.transport.src_port
        )
        dst_port, dst_port_count, dst_port_random = _field(
            flow, "dst_port", flow.transport.dst_port
        )
        return cls(
            name=flow.name,
            tx_name=flow.tx_name,
            rx_name=flow.rx_name,
            src_mac=flow.ethernet.src,
            dst_mac=flow.ethernet.dst,
            src=str(src),
            dst=str(dst),
            src_port=int(src_port),
            dst_port=int(dst_port),
            src_count=src_count,
            dst_count=dst_count,
            src_port_count=src_port_count,
            dst_port_count=dst_port_count,
            src_random=src_random,
            dst_random=dst_random,
            src_port_random=src_port_random,
            dst_port_random=dst_port_random,
            hold=flow.hold,
            protocol=flow.protocol,
            ttl=flow.internet.ttl,
            reply_src_mac=answered.ethernet.src if answered else None,
            reply_dst_mac=answered.ethernet.dst if answered else None,
            reply_src=answered.src if answered else None,
            reply_dst=answered.dst if answered else None,
        )

    @property
    def ipv6(self) -> bool:
        """Whether the flow is IPv6."""
        return ":" in self.src

    @property
    def smallest(self) -> int:
        """Bytes of the smallest frame with ppstraffic's signature, FCS included."""
        needed = 14 + (40 if self.ipv6 else 20) + (20 if self.protocol == TCP else 8) + 18 + 4
        return max(64, needed)

    def argument(self) -> str:
        """The value of `--flow`."""
        words: dict[str, str | int | None] = {
            "name": self.name,
            "tx": self.tx_name,
            "rx": self.rx_name,
            "src-mac": self.src_mac,
            "dst-mac": self.dst_mac,
            "src": self.src,
            "dst": self.dst,
            "sport": self.src_port,
            "dport": self.dst_port,
            "src-count": self.src_count,
            "dst-count": self.dst_count,
            "sport-count": self.src_port_count,
            "dport-count": self.dst_port_count,
            "src-random": self.src_random,
            "dst-random": self.dst_random,
            "sport-random": self.src_port_random,
            "dport-random": self.dst_port_random,
            "hold": self.hold,
            "weight": self.weight,
            "protocol": self.protocol,
            "ttl": self.ttl,
            "reply-src-mac": self.reply_src_mac,
            "reply-dst-mac": self.reply_dst_mac,
            "reply-src": self.reply_src,
            "reply-dst": self.reply_dst,
        }
        defaults = {key: 1 for key in words if key.endswith("-count")} | {"hold": 1, "weight": 1}
        defaults |= {"protocol": UDP, "ttl": TTL}
        defaults |= {key: 0 for key in words if key.endswith("-random")}
        return ",".join(
            f"{key}={value}"
            for key, value in words.items()
            if value is not None and value != defaults.get(key)
        )


def _field(flow: lab.Flow, what: str, value: int | str | Pattern) -> tuple[int | str, int, int]:
    """First value, how many there are, and the seed that draws from them (0: in order)."""
    if isinstance(value, Random):
        return value.min, value.count, value.seed
    if isinstance(value, Increment):
        if value.step != 1:
            raise UsageError(
                f"flow {flow.name}: {what} steps by {value.step}; ppstraffic only by 1"
            )
        return value.start, value.count, 0
    return value, 1, 0
