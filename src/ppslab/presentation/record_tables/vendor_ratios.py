"""MikroTik's own test results beside the stand-in's: what a station costs on RouterOS, and here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ppslab.analysis import costs as analysis
from ppslab.analysis.claims.vendor import Results
from ppslab.base.text.quantities import NOTHING, Quantity
from ppslab.base.text.tables import Cell, Table
from ppslab.lab.lab import Lab
from ppslab.results import Record

PAIRS = (
    ("routing-25-ip-filter-rules", "routing-fast-path"),
    ("routing-25-simple-queues", "routing-fast-path"),
    ("routing-25-ip-filter-rules", "routing-25-simple-queues"),
    ("bridging-25-bridge-filter-rules", "bridging-fast-path"),
)
"""What MikroTik's tables compare: the dearer condition, and the cheaper one."""

SIZES = (64, 512, 1518)


def vendor_ratios(lab: Lab, results: Results, records: Sequence[Record]) -> Table:
    """How many times as much a packet costs: MikroTik's tables, and the stand-in's measures."""
    rows = []
    for above, below in PAIRS:
        by_vendor = [results.ratio((above, size), (below, size)) for size in SIZES]
        ours = [_ours(record, above, below) for record in records]
        rows.append(
            (
                Cell(f"{lab.titles[above]}, times {lab.titles[below]}"),
                *(Cell(Quantity.of(r) if r else NOTHING) for r in by_vendor),
                *(Cell(text) for text in ours),
            )
        )
    return Table(
        title="MikroTik's own tables, and the stand-in",
        header=(
            "a packet costs",
            *(f"RouterOS, {size} bytes" for size in SIZES),
            *(f"Linux, {record.measure}, 64 bytes" for record in records),
        ),
        rows=tuple(rows),
        notes=(
            "RouterOS: the median of the routers, from the least to the greatest of them, each "
            "ratio inside one router's table. RouterOS 6, 0.1 % loss. "
            "The RB4011's rates at 64 bytes are those of the RB1100AHx4, which has the same CPU.",
            "At 512 and 1518 bytes the ports or buses limit the fast path, so these are the least "
            "that a station costs.",
            *(
                f"{', '.join(name for source, name in results.routers if source == one)}: "
                f"{document}."
                for one, document in results.documents.items()
            ),
        ),
    )


def _ours(record: Record, above: str, below: str) -> Quantity | str:
    try:
        return Quantity.of(analysis.ratio(record, above, below, min(record.frame_sizes)))
    except analysis.NoDataError:
        return NOTHING


def vendor_rates(lab: Lab, results: Results) -> Table:
    """MikroTik's tables themselves, thousands of packets a second by router and frame size."""
    rows = []
    sources = list(results.documents)
    conditions = dict.fromkeys(row.condition for row in results.rows)
    for source, router in results.routers:
        for condition in conditions:
            rates = [results.rates.get((source, router, condition, size)) for size in SIZES]
            rows.append(
                (
                    Cell(router),
                    Cell(str(sources.index(source) + 1)),
                    Cell(lab.titles[condition]),
                    *(Cell(f"{rate / 1000:.1f}" if rate else NOTHING) for rate in rates),
                )
            )
    return Table(
        title="MikroTik's published test results, thousands of packets per second",
        header=("router", "source", "configuration", *(f"{size} bytes" for size in SIZES)),
        rows=tuple(rows),
        notes=tuple(
            f"Source {place}: {document}."
            for place, document in enumerate(results.documents.values(), start=1)
        ),
    )


def vendor_sentence(results: Results, titles: Mapping[str, str]) -> str:
    """One sentence for a table of counted costs; empty where MikroTik has no such ratio."""
    ratio = results.ratio((PAIRS[0][0], 64), (PAIRS[0][1], 64))
    if ratio is None:
        return ""
    return (
        f"On RouterOS the steps are larger: in MikroTik's own tables of {ratio.count} routers, "
        f"{titles[PAIRS[0][0]]} cost {ratio.low:.1f} to {ratio.high:.1f} times "
        f"{titles[PAIRS[0][1]]} at 64 bytes."
    )
