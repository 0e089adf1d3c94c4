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
OFFLOADS = (GRO, "generic-segmentation-offload", "tcp-segmentation-offload")
MERGING = (
    *OFFLOADS,
    "rx-gro-list",
    "rx-udp-gro-forwarding",
)
"""Features as ethtool(8) names them."""


def of(listing: str, ports: Sequence[str]) -> dict[str, list[str]]:
    """For each of `ports` the merging features that `ethtool -k` lists as on."""
    features: dict[str, list[str]] = {port: [] for port in ports}
    on: list[str] = []
    for line in listing.splitlines():
        name, _, value = line.strip().partition(":")
        if name.startswith("Features for "):
            on = features.get(name.removeprefix("Features for "), [])
        elif name in MERGING and value.split()[:1] == ["on"]:
            on.append(name)
    return features


def text(features: Mapping[str, Sequence[str]]) -> str:
    """What was found, a line a port, in the place of ethtool's hundred."""
    return "".join(f"{port}: {', '.join(on) or 'none on'}\n" for port, on in features.items())


def problems(
    features: Mapping[str, Sequence[str]], *, native_xdp: bool, wanted: bool = False
) -> Iterator[str]:
    """What is on and must not be.  `wanted`: the three of `OFFLOADS` are on by intent.

    A virtual cable with native XDP shows GRO as on, as that is how it gets NAPI (veth_xdp_set in
    the kernel's drivers/net/veth.c); the program runs before anything is merged.
    """
    borne = {*(OFFLOADS if wanted else ()), *([GRO] if native_xdp else [])}
    for port, on in features.items():
        for feature in on:
            if feature not in borne:
                yield f"port {port}: {feature} is on"
