"""A flow from the few words that tests change, all in one line."""

from __future__ import annotations

from typing import Any

from ppslab.model.lab.packets import Flow

USUAL: dict[str, Any] = {
    "name": "r12", "tx_name": "p1", "rx_name": "p2",
    "src_mac": "02:00:c6:12:01:02", "dst_mac": "02:00:c6:12:01:01",
    "src": "198.18.1.2", "dst": "198.18.2.2", "src_port": 100, "dst_port": 200,
    "over": "udp",
}  # fmt: skip


def make_flow(**changes: Any) -> Flow:
    """UDP over the family of `src`; any of src, dst, src_port, dst_port may be a pattern."""
    words = USUAL | changes
    family = "ipv6" if "::" in str(words["src"]) else "ipv4"
    internet = {name: words[name] for name in ("src", "dst", "protocol", "ttl") if name in words}
    ports = {name: words[name] for name in ("src_port", "dst_port")}
    whole = {name: words[name] for name in ("name", "tx_name", "rx_name", "hold", "answered")
             if name in words}  # fmt: skip
    link = {"src": words["src_mac"], "dst": words["dst_mac"], "vlan": words.get("vlan")}
    packet = [{"ethernet": link}, {family: internet}, {words["over"]: ports}]
    return Flow.model_validate({**whole, "packet": packet})


def steps(start: int | str, count: int) -> dict[str, Any]:
    """A pattern of `count` values from `start`."""
    return {"start": start, "count": count}
