"""Theoretical rates of a lab's ports, for the figures of the throughputs that were found.

RFC 2544 section 26.1 wants the theoretical line in every figure of a throughput.
"""

from __future__ import annotations

from ppslab.core.errors import PpslabError
from ppslab.core.units import line_rate
from ppslab.model.lab import lab as labs
from ppslab.model.results import Direction, Family, Subject, SuiteRecord

FAMILIES: dict[Family, str] = {"ipv4": "IPv4", "ipv6": "IPv6"}
DIRECTIONS: dict[Direction, str] = {
    "one-way": "one way",
    "both-ways": "both ways",
    "lab": "all streams",
}

Stream = tuple[Family, Direction]
"""A type of data stream, as RFC 2544 calls it."""


def stream_of(subject: Subject) -> Stream:
    return subject.family, subject.direction


def stream_text(stream: Stream) -> str:
    """`IPv4, one way`."""
    return f"{FAMILIES[stream[0]]}, {DIRECTIONS[stream[1]]}"


def sending_ports(lab: str, condition: str, stream: Stream) -> int | None:
    """Number of ports of the lab that send at once; None where its lab.yml is not here.

    one-way: one port; both-ways: two; lab: as many as its streams leave, but no more than they
    reach, since a stream that no port takes is not forwarded.
    """
    family, direction = stream
    if direction != "lab":
        return 1 if direction == "one-way" else 2
    try:
        its_lab = labs.find(lab)
        named = its_lab.condition(condition)
    except PpslabError:
        return None
    group = named.flows_ipv6 if family == "ipv6" else named.flows
    if group is None:
        return None
    flows = its_lab.spec.flows[group]
    return min(len({flow.tx_name for flow in flows}), len({flow.rx_name for flow in flows}))


def theoretical_rate(
    record: SuiteRecord, condition: str, stream: Stream, frame_size: int
) -> float | None:
    """Frames per second that fill the ports of the lab's hardware, over all streams.

    None where the lab names no speed of a port, or where it is unknown how many ports send.
    """
    if record.port_speed is None:
        return None
    ports = sending_ports(record.lab, condition, stream)
    return ports * line_rate(frame_size, record.port_speed) if ports else None


def theory_line(record: SuiteRecord) -> str:
    """One sentence: what the theoretical line is of, or why there is none."""
    if record.port_speed is None:
        return "The lab does not give the speed of its ports, so there is no theoretical line."
    return (
        f"Theoretical: capacity of {speed_text(record.port_speed)} ports, with 20 bytes of gap "
        "and preamble per frame (RFC 2544 appendix B). It applies to the article's hardware; the "
        "ports of a Linux lab have no line rate."
    )


def speed_text(bits_per_second: float) -> str:
    """`1 Gbit/s`, `100 Mbit/s`."""
    for limit, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bits_per_second >= limit:
            return f"{bits_per_second / limit:g} {unit}"
    return f"{bits_per_second:g} bit/s"
