"""Packets against bits: what a wire carries, and what a published table says about its ports."""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.core.errors import UsageError
from ppslab.core.text.grouping import count_text
from ppslab.core.text.tables import Table, cells
from ppslab.core.units import frame_bits_per_second, human_rate, line_rate

SIZES = (64, 128, 256, 512, 1024, 1280, 1518)
"""RFC 2544 section 9.1."""

CCR_PORTS = 16
"""CCR1036-12G-4S: twelve copper ports and four for SFP, of a gigabit each."""
CCR_ROWS = (
    "routing-fast-path",
    "routing-25-simple-queues",
    "routing-25-ip-filter-rules",
    "bridging-fast-path",
    "bridging-25-bridge-filter-rules",
)
CCR_SIZES = (64, 512, 1518)


def wire(bits_per_second: float = 1e9, sizes: Sequence[int] = SIZES) -> Table:
    """The most that a port of this speed carries, by frame size (RFC 2544 appendix B)."""
    if bits_per_second <= 0:
        raise UsageError(f"a port of {bits_per_second:g} bit/s carries nothing")
    rows = []
    for size in sizes:
        rate = line_rate(size, bits_per_second)
        bits = frame_bits_per_second(rate, size)
        share = bits / bits_per_second
        rows.append(cells(f"{size}", count_text(rate), f"{100 * share:.1f} %"))
    return Table(
        f"A fully loaded port of {bits_per_second / 1e9:g} Gbit/s",
        ("frame, bytes", "frames per second", "share of the link that frames take"),
        tuple(rows),
        notes=("The rest is preamble and gap: 20 bytes per frame, whatever its size.",),
    )


def ports() -> Table:
    """The published table of the CCR1036, as a share of what its ports can carry."""
    # Imported here, since `wire` also runs in a browser's Python.
    from ppslab.model.lab import lab, published  # noqa: PLC0415

    fastpath = lab.find("fastpath")
    rows = published.load(fastpath)
    shown = []
    for name in CCR_ROWS:
        numbers = [rows[f"ccr1036-{name}-{size}"] for size in CCR_SIZES]
        shares = [
            n.value * 1e3 / line_rate(size, CCR_PORTS * 1e9)
            for n, size in zip(numbers, CCR_SIZES, strict=True)
        ]
        said = [
            f"{human_rate(n.value * 1e3)} ({100 * share:.0f} %)"
            for n, share in zip(numbers, shares, strict=True)
        ]
        shown.append(cells(fastpath.named(name), *said))
    return Table(
        f"CCR1036-12G-4S as published, and the share of what its {CCR_PORTS} ports can carry",
        ("condition", *(f"{size} bytes" for size in CCR_SIZES)),
        tuple(shown),
        notes=(f"Source: {rows['ccr1036-routing-fast-path-64'].document}.",),
    )
