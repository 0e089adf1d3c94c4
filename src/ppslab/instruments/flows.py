"""What ppstraffic is to send: flows and ports, in the words of the Open Traffic Generator models.

A flow knows nothing of rates: the rate of a trial is the aggregate over its flows, in turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ppslab import lab
from ppslab.errors import UsageError


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
    """One UDP flow.  A count above 1 steps its field through that many values, by one."""

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
    weight: int = 1
    reply_src_mac: str | None = None
    """With `reply_dst_mac`: learning also sends the reversed flow from the receiving port."""
    reply_dst_mac: str | None = None

    @classmethod
    def of(cls, flow: lab.Flow) -> Flow:
        """The flow of a lab file.  UsageError where it steps by anything but 1."""

        def first(value: Any, what: str) -> tuple[Any, int]:
            if not isinstance(value, lab.Increment):
                return value, 1
            if value.step != 1:
                raise UsageError(
                    f"flow {flow.name}: {what} steps by {value.step}; ppstraffic only by 1"
                )
            return value.start, value.count

        src, src_count = first(flow.internet.src, "src")
        dst, dst_count = first(flow.internet.dst, "dst")
        src_port, src_port_count = first(flow.udp.src_port, "src_port")
        dst_port, dst_port_count = first(flow.udp.dst_port, "dst_port")
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
        )

    @property
    def ipv6(self) -> bool:
        """Whether the flow is IPv6."""
        return ":" in self.src

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
            "weight": self.weight,
            "reply-src-mac": self.reply_src_mac,
            "reply-dst-mac": self.reply_dst_mac,
        }
        defaults = {"src-count", "dst-count", "sport-count", "dport-count", "weight"}
        return ",".join(
            f"{key}={value}"
            for key, value in words.items()
            if value is not None and not (key in defaults and value == 1)
        )
