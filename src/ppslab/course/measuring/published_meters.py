"""The bytes that the meters of published numbers counted, inferred from the numbers themselves."""

from __future__ import annotations

from ppslab.core.text.quantities import Named
from ppslab.core.text.tables import Table, cells
from ppslab.model import meters
from ppslab.model.lab import lab, published

SCALES = {"pps": 1.0, "kpps": 1e3, "Mbit/s": 1e6}
FEWEST = 100_000
"""Fewer packets a second, and the bits that are printed to a tenth say too little of each."""


def published_meters(like: str = "dut") -> Table:
    """Rows of the Fast Path sources whose id holds `like`: bits over packets.

    `dut`: what the router's own `/interface/monitor-traffic` showed in the article of 2012;
    `stream` and `total`: its traffic generator; `ccr1036`: MikroTik's table.
    """
    rows = published.load(lab.find("fastpath"))
    shown = []
    for name, packets in rows.items():
        bits = rows.get(f"{name}-bits")
        if bits is None or like not in name or packets.frame_size is None:
            continue
        rate = packets.value * SCALES[packets.unit]
        if rate < FEWEST:
            continue
        each = meters.bytes_each(bits.value * SCALES[bits.unit], rate)
        found = meters.counting(each, packets.frame_size)
        rules = dict.fromkeys(meter.rule for meter in found)
        shown.append(
            cells(
                Named(name, f"{packets.hardware}, {packets.where}"),
                f"{packets.printed} {packets.unit}",
                bits.printed,
                str(packets.frame_size),
                f"{each:.1f}",
                ", ".join(rules) or "no meter in the list",
            )
        )
    return Table(
        "Bytes that a published meter counted for each packet",
        ("published number", "packets", "bits", "frame f", "bytes each", "so the meter counts"),
        tuple(shown),
    )
