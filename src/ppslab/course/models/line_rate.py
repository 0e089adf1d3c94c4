"""Line rate: how many frames of one size a link carries, and what each meter shows of them."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import N_, gettext
from ppslab.core.units import FCS_BYTES, WIRE_OVERHEAD_BYTES, line_rate
from ppslab.course.models.drawing import bars, figure, fixed, problem, sentences, short, table

ETHERNET_HEADER = 14
IPV4_HEADER = 20
SMALLEST = 64


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Packets per second at line rate, bits per second at each layer, and what each meter shows.

    facts["meters"]: [id, meter, system, offset in bytes, what it counts] (meters.csv).
    facts["headers"]: [word, title, bytes, source] of the headers that may precede the inner packet.
    """
    size, speed = int(inputs["size"]), float(inputs["speed"]) * 1e6
    if not SMALLEST <= size <= 9216:
        text = N_("Choose a frame size of 64 to 9216 bytes, not {size}.")
        return problem("size", text, size=size)
    chosen = [header for header in facts["headers"] if header[0] in inputs["headers"]]
    inside = size - FCS_BYTES - ETHERNET_HEADER - sum([header[2] for header in chosen])
    if inside < IPV4_HEADER:
        least = size - inside + IPV4_HEADER
        text = N_(
            "These headers leave {inside} bytes for the inner packet, but its IPv4 header "
            "alone needs {ipv4_header} bytes: choose a frame size of {least} bytes or more."
        )
        return problem("size", text, inside=inside, ipv4_header=IPV4_HEADER, least=least)
    rate = line_rate(size, speed)
    layers = [
        (gettext("on the link, with preamble and gap"), size + WIRE_OVERHEAD_BYTES),
        (gettext("frames, with FCS"), size),
        (gettext("frames, without FCS"), size - FCS_BYTES),
        (gettext("outer packet"), size - FCS_BYTES - ETHERNET_HEADER),
        (gettext("inner IPv4 packet"), inside),
        (gettext("inner payload, above IPv4"), inside - IPV4_HEADER),
    ]
    if not chosen:
        layers[3:6] = [
            (gettext("IPv4 packet"), inside),
            (gettext("payload, above IPv4"), inside - IPV4_HEADER),
        ]
    rows = [(name, rate * count * 8 / 1e6, _bits(rate * count * 8)) for name, count in layers]
    best = 100 * inside / (size + WIRE_OVERHEAD_BYTES)
    packet = gettext("the inner IP packet") if chosen else gettext("the IP packet")
    names = ", ".join([f"{label} {count}" for _, label, count, _ in chosen])
    says = sentences([
        (True, N_("With {size}-byte frames, {speed} is {rate} packets per second; a router that "
                  "forwards them has {rate_2} ns for each packet."),
         {"size": size, "speed": _bits(speed), "rate": short(rate), "rate_2": short(1e9 / rate)}),
        (True, N_("With preamble and gap, a frame takes the time of {size} bytes on the link; "
                  "{inside} of these bytes ({best} %) are {packet}."),
         {"size": size + WIRE_OVERHEAD_BYTES, "inside": inside, "best": fixed(best, 1),
          "packet": packet}),
        (chosen, N_("Headers, in bytes: Ethernet {ethernet_header}, {names}."),
         {"ethernet_header": ETHERNET_HEADER, "names": names}),
    ])  # fmt: skip
    alt = "; ".join([f"{name}: {text}" for name, _, text in rows])
    meters = [
        [name, system, counts, str(size + offset), _bits(rate * (size + offset) * 8)]
        for _, name, system, offset, counts in facts["meters"]
    ]
    header = [gettext("meter"), gettext("system"), gettext("counts"),
              gettext("bytes per packet"), gettext("shows")]  # fmt: skip
    return {
        "says": says,
        "figures": [figure(gettext("Bits per second at each layer"), bars(rows, "Mbit/s"), alt)],
        "tables": [
            table(gettext("Rates that each meter shows for the same packets"), header, meters)
        ],
        "values": {
            "packets_per_second": rate,
            "nanoseconds": 1e9 / rate,
            "inner_bytes": inside,
            "layers": [[name, rate * count * 8] for name, count in layers],
        },
    }


def _bits(value: float) -> str:
    """`7.62 Gbit/s`: three digits that matter, or four where the first is 1."""
    for limit, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if value >= limit:
            return short(value / limit) + " " + unit
    return short(value) + " bit/s"
