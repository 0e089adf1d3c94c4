"""Numbers that a quiz calculates, so that no answer is right only because somebody remembered it.

| words | what |
|---|---|
| `wire GBITS BYTES` | frames a second that fill a link |
| `share BYTES` | per cent of a full link's bits that are frames |
| `overhead MTU LAYER...` | bytes that tunnels add |
| `largest MTU LAYER...` | the largest packet that fits into them |
| `mss MTU LAYER...` | the TCP segment that fits |
| `port POLICY PORTS MAC MAC` | the port of a bond, counted from 0, that a frame takes by layer 2 |
| `published LAB ROW` | a number as its source printed it |
"""

from __future__ import annotations

import re

from ppslab.core.errors import UsageError
from ppslab.core.units import WIRE_OVERHEAD_BYTES, line_rate
from ppslab.model.bonding import Packet, port_of
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.tunnels.overhead import Stack, parse

_NUMBER = re.compile(r"\d+(?: \d{3})*(?:\.\d+)?")


def number(words: list[str]) -> str:
    """The number as it appears in answers: digits, without spaces between thousands."""
    match words:
        case ["wire", gigabits, size]:
            return str(round(line_rate(int(size), float(gigabits) * 1e9)))
        case ["share", size]:
            return str(round(100 * int(size) / (int(size) + WIRE_OVERHEAD_BYTES)))
        case [("overhead" | "largest" | "mss") as what, mtu, *layers] if layers:
            stack = Stack(parse(tuple(layers)), int(mtu))
            known = {"overhead": stack.overhead, "mss": stack.segment}
            return str(stack.inner_mtu if what == "largest" else known[what]())
        case ["port", "layer2" as policy, ports, source, target]:
            packet = Packet(source, target, "198.18.0.1", "198.18.0.2")
            return str(port_of(packet, policy, int(ports)))
        case ["published", lab, row]:
            rows = published.load(labs.find(lab))
            if row in rows:
                return numbers_in(rows[row].shown)[0]
    raise UsageError(f"no calculation {' '.join(words)!r}: see learning/calculations.py")


def numbers_in(text: str) -> list[str]:
    """The numbers of a text, `14 880 952` as 14880952."""
    return [found.replace(" ", "") for found in _NUMBER.findall(text)]
