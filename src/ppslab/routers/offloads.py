"""Offloads of a Linux router's ports: with them on, one buffer is many frames.

A router that merges frames does its work once for many of them, and a cost per packet says
nothing.  The backend turns them off when it makes the ports; whoever turns one on again (ethtool,
a daemon that tunes the machine) is found before the next trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

READ = """echo '## offloads'
ethtool -k '*' 2>/dev/null || for port in /sys/class/net/*; do ethtool -k "${port##*/}"; done
"""
"""One process for all ports, as under emulation each takes 80 ms; one a port where the kernel has
no ethtool over netlink, which the asterisk needs."""

GRO = "generic-receive-offload"
MERGING = (
    GRO,
    "generic-segmentation-offload",
    "tcp-segmentation-offload",
    "rx-gro-list",
    "rx-udp-gro-forwarding",
)
"""Features as ethtool(8) names them."""


def of(listing: str, ports: Sequence[str]) -> dict[str, list[str]]:
    """For each of `ports` the merging features that `ethtool -k` lists as on."""
    found: dict[str, list[str]] = {port: [] for port in ports}
    on: list[str] = []
    for line in listing.splitlines():
        name, _, value = line.strip().partition(":")
        if name.startswith("Features for "):
            on = found.get(name.removeprefix("Features for "), [])
        elif name in MERGING and value.split()[:1] == ["on"]:
            on.append(name)
    return found


def text(found: Mapping[str, Sequence[str]]) -> str:
    """What was found, a line a port, in the place of ethtool's hundred."""
    return "".join(f"{port}: {', '.join(on) or 'none on'}\n" for port, on in found.items())


def problems(found: Mapping[str, Sequence[str]], *, native_xdp: bool) -> Iterator[str]:
    """What is on and must not be.

    A virtual cable with native XDP shows GRO as on, as that is how it gets NAPI (veth_xdp_set in
    the kernel's drivers/net/veth.c); the program runs before anything is merged.
    """
    for port, on in found.items():
        for feature in on:
            if not (native_xdp and feature == GRO):
                yield f"port {port}: {feature} is on"
