"""How evenly a bond's rules share connections out, worked out without a network.

A bond of the CPU hashes as Linux does (`transmit_hash`).  A bond that a switch chip has taken over
hashes as the chip does.  MikroTik's manual says of what: MAC addresses, IP addresses and ports
together on Marvell Prestera chips, MAC addresses alone on 88E6393X, 88E6191X and 88E6190.  How the
chip makes a number of them, nobody has published.  CRC-32 stands for it here: as even as a hash
of these bytes can be expected to be, and not the chip's own choice of port.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Sequence
from typing import Final

from ppslab.model.bonding import transmit_hash
from ppslab.model.bonding.flows import Flow

CHIP = "chip: layers 2, 3 and 4"
CHIP_LAYER2 = "chip: layer 2"
RULES: Final[tuple[str, ...]] = (*transmit_hash.POLICIES, CHIP, CHIP_LAYER2)
"""The policies of a bond of the CPU, and the two kinds of chips."""


def loads(flows: Iterable[Flow], rule: str, links: int) -> list[float]:
    """What each of `links` links carries, in the flows' own weights; ValueError for no rule."""
    if rule not in RULES:
        raise ValueError(f"no rule {rule!r}: there are {', '.join(RULES)}")
    carried = [0.0] * links
    for flow in flows:
        carried[_number(flow, rule) % links] += flow.weight
    return carried


def evenness(carried: Sequence[float]) -> float:
    """What all links carry when the busiest is full, as a share of what they could: 1/n to 1."""
    busiest = max(carried, default=0.0)
    return sum(carried) / (len(carried) * busiest) if busiest else 0.0


def _number(flow: Flow, rule: str) -> int:
    if rule in transmit_hash.POLICIES:
        return flow.hash(rule)
    words = [str(byte) for byte in flow.macs]
    if rule == CHIP:
        words += [*flow.ends, *(str(port) for port in flow.ports)]
    return binascii.crc32(" ".join(words).encode())
