"""The spread of a Linux router's ratio over kernels, and its bias when counted, not timed.

A counted ratio repeats to a fraction of a per cent, on one kernel.  As a statement about routers it
must hold what another stand-in would say: the records in results/kernels/ count a lab on several
kernels of Debian, and how far they spread says how far a further one may be.  Where both measures
of a lab are recorded, a counted ratio over the timed one shows the bias of counting.  It goes both
ways, as a count knows no cache, no pipeline and no batch: most ratios are farther from 1 than the
timed one, others are nearer, such as that of a bridge without and with its fast path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from ppslab.core import paths
from ppslab.core.measures import Measure
from ppslab.core.provenance import together
from ppslab.core.text.numbers import plural, short
from ppslab.core.text.quantities import Content, Named, Sentence, joined, quantity
from ppslab.core.text.tables import NOTHING, Cell, Table, cells
from ppslab.judge import agreement, costs
from ppslab.model import results
from ppslab.model.results import Record
from ppslab.model.statistics import Interval, predicted_ratio, ratio_of_estimates

BRIDGES_ARE_BRIDGES = datetime(2026, 11, 24, 3, 22, tzinfo=UTC)
"""Nodes made since then have br_netfilter off.

Before, where the machine's kernel had it, each bridged packet passed the hooks of the IP firewall.
"""

_Stamps = tuple[tuple[Path, int], ...]


def files(lab: str = "") -> list[Path]:
    """The files of results/kernels/; of one lab only where it is named."""
    pattern = f"{lab}-*.json" if lab else "*.json"
    return sorted((paths.results_dir() / results.KERNELS).glob(pattern))


def records(lab: str) -> tuple[Record, ...]:
    """The runs that counted a lab on several kernels, the oldest kernel first; else none.

    Those of results/kernels/, of two on the same kernel the newer one, and the newest kept run of
    the lab where its kernel is not among them.
    """
    every = [run for run in map(_record, files(lab)) if run.lab == lab and _of_stand_in(run)]
    if not every:
        return ()
    kept = next((run for run in _kept(lab) if run.measure == "counted"), None)
    if kept and _kernel(kept) not in {_kernel(run) for run in every}:
        every.append(kept)
    newest = {_kernel(run): run for run in sorted(every, key=lambda run: run.started)}
    return tuple(sorted(newest.values(), key=lambda run: _release(_kernel(run))))


def by_kernel(lab: str, numerator: str, denominator: str, size: int) -> Mapping[str, Interval]:
    """A ratio of two conditions' costs on each kernel that counted both, the oldest first."""
    stamps = _stamps([*files(lab), *results.stored(lab)])
    return _by_kernel(stamps, lab, numerator, denominator, size)


def another_kernel(lab: str, numerator: str, denominator: str, size: int) -> Interval | None:
    """Predict the ratio of a further kernel; None where fewer than three counted it.

    Student's prediction interval, as if kernels were drawn at random.  They are successive
    releases, so it is a measure of their spread, and nothing of it is a confidence of 95 %.
    """
    return predicted_ratio([*by_kernel(lab, numerator, denominator, size).values()])


def spread(lab: str, numerator: str, denominator: str, size: int) -> float | None:
    """Factor by which a further kernel may leave the middle of the counts; None as above.

    What a kernel changes is the instructions, so a timed ratio of the pair depends on it alike.
    """
    predicted = another_kernel(lab, numerator, denominator, size)
    return predicted.high / predicted.estimate if predicted else None


def across_kernels(
    lab: str, numerator: str, denominator: str, size: int, counted: Interval, otherwise: float
) -> Interval:
    """Widen a ratio `counted` on one kernel to what another would say.

    Where fewer than three counted it, as wide as the factor `otherwise` around each of them.
    """
    ratios = [*by_kernel(lab, numerator, denominator, size).values()]
    predicted = predicted_ratio(ratios)
    wide = [predicted] if predicted else [r.as_wide_as(otherwise) for r in (counted, *ratios)]
    low = min(counted.low, *(each.low for each in wide))
    high = max(counted.high, *(each.high for each in wide))
    return replace(counted, low=low, high=high)


def bias(lab: str, numerator: str, denominator: str, size: int) -> Interval | None:
    """Counted ratio over the timed one, by the newest kept runs that have the pair.

    None where either measure has none on a real CPU, or only one in which a bridge's packets went
    through br_netfilter.
    """
    return _bias(list(_kept(lab)), numerator, denominator, size)


def biases(lab: str) -> dict[tuple[str, int], Interval]:
    """The bias of every condition against the lab's reference, by condition and frame size."""
    runs = list(_kept(lab))
    pairs = {
        (condition.name, size): _bias(runs, condition.name, run.reference, size)
        for run in runs[:1]
        for condition in run.conditions
        if condition.name != run.reference
        for size in run.frame_sizes
    }
    return {pair: interval for pair, interval in pairs.items() if interval is not None}


def _bias(runs: Sequence[Record], numerator: str, denominator: str, size: int) -> Interval | None:
    ratios: dict[Measure, Interval] = {}
    for run in runs:
        through_ip = run.measure == "timed" and run.started < BRIDGES_ARE_BRIDGES
        if run.measure in ratios or (through_ip and {numerator, denominator} & _bridging(run)):
            continue
        if ratio := costs.or_none(costs.ratio, run, numerator, denominator, size):
            ratios[run.measure] = ratio
    if len(ratios) < 2 or min(ratio.low for ratio in ratios.values()) <= 0:
        return None
    return ratio_of_estimates(ratios["counted"], ratios["timed"])


def kernels_table(lab: str) -> Table:
    """Each condition's cost times the reference's on every kernel, and what another would say."""
    counted = records(lab)
    if not counted:
        raise costs.NoDataError(f"{lab} has no record in results/{results.KERNELS}/")
    newest = counted[-1]
    kernels = [_kernel(record) for record in counted]
    titles = {name: title for record in counted for name, title in record.titles.items()}
    sizes = sorted({size for record in counted for size in record.frame_sizes})
    rows = [
        _kernels_row(lab, Named(name, titles[name]), newest.reference, size, kernels)
        for size in sizes
        for name in titles
        if name != newest.reference
    ]
    reasons = [
        Sentence(
            (
                f"{_kernel(record)} did not count ",
                Named(skipped.condition, titles.get(skipped.condition, "")),
                f": {skipped.reason}.",
            )
        )
        for record in counted
        for skipped in record.skipped
    ]
    return Table(
        title=Sentence(
            (
                "Times ",
                newest.named(newest.reference),
                f", counted on {plural(len(counted), 'kernel')}",
            )
        ),
        header=("condition", "bytes", *(_short(kernel) for kernel in kernels), "another kernel"),
        rows=tuple(row for row in rows if row),
        notes=(
            "Last column: the spread of the kernels, as Student's prediction interval with "
            f"{plural(len(counted) - 1, 'degree')} of freedom. Kernels are successive releases and "
            "not random draws, so it is no confidence interval.",
            "Of all ratios of two conditions that were counted on several kernels, in all labs, "
            f"95 in 100 differ between two kernels by less than a factor of "
            f"{short(agreement.KERNELS)}.",
            *dict.fromkeys(reasons),
        ),
        provenance=together([record.provenance() for record in counted]),
    )


def _kernels_row(
    lab: str, condition: Named, reference: str, size: int, kernels: Sequence[str]
) -> tuple[Cell, ...]:
    ratios = by_kernel(lab, condition.id, reference, size)
    if len(ratios) < 2 and len(kernels) > 1:
        return ()
    return (
        Cell(condition),
        Cell(str(size)),
        *(Cell(quantity(ratios[k]) if k in ratios else NOTHING) for k in kernels),
        Cell(quantity(another_kernel(lab, condition.id, reference, size))),
    )


def bias_table(lab: str) -> Table:
    """Each condition's counted ratio over its timed one, by frame size."""
    ratios, runs = biases(lab), list(_kept(lab))
    if not ratios:
        raise costs.NoDataError(f"{lab} has no kept runs of both measures to compare")
    sizes = sorted({size for _, size in ratios})
    names = dict.fromkeys(name for name, _ in ratios)
    compared = [next(run for run in runs if run.measure == m) for m in ("counted", "timed")]
    notes: list[Content] = [
        "1: counting and timing agree on the ratio of a packet's cost to that of the reference. "
        "Above 1, the counted ratio is the larger one; below 1, the timed ratio.",
        "Of all ratios of two conditions that were both counted and timed, in all labs, 95 in 100 "
        f"differ by less than a factor of {short(agreement.COUNTING)}.",
        f"Counted on Linux {_kernel(compared[0])}, timed on {_kernel(compared[1])}: the "
        "ratios include the difference between the kernels.",
    ]
    left = [c.name for c in runs[0].conditions if c.name in _bridging(runs[0]) - set(names)]
    if left:
        notes.append(
            Sentence(
                (
                    "Left out: ",
                    *joined(", ", map(compared[0].named, left)).parts,
                    ", timed on a kernel whose br_netfilter sent bridged packets through the IP "
                    "firewall.",
                )
            )
        )
    return Table(
        title=Sentence(
            ("Times ", compared[0].named(compared[0].reference), ": counted over timed")
        ),
        header=("condition", *(f"{size} bytes" for size in sizes)),
        rows=tuple(
            cells(compared[0].named(name), *(quantity(ratios.get((name, size))) for size in sizes))
            for name in names
        ),
        notes=tuple(notes),
        provenance=together([run.provenance() for run in compared]),
    )


# Every claim, table and figure asks again, and each ratio is a bootstrap a kernel.
@lru_cache(maxsize=512)
def _by_kernel(
    _stamps: _Stamps, lab: str, numerator: str, denominator: str, size: int
) -> Mapping[str, Interval]:
    return {
        _kernel(record): ratio
        for record in records(lab)
        if (ratio := costs.or_none(costs.ratio, record, numerator, denominator, size))
    }


def _stamps(paths: Sequence[Path]) -> _Stamps:
    """The files with the times of their changes: what is read of them is kept as long."""
    return tuple((path, path.stat().st_mtime_ns) for path in paths)


def _record(path: Path) -> Record:
    return _of_stamp(*_stamps([path])[0])


@lru_cache(maxsize=64)
def _of_stamp(path: Path, _changed: int) -> Record:
    return results.load(path)


def _kept(lab: str) -> Iterator[Record]:
    """The kept runs of a lab, newest first, each read when it is asked for; a real CPU's times."""
    for path in results.stored(lab):
        if path.parent.name == "local":
            continue
        run = _record(path)
        if _of_stand_in(run) and (run.measure == "counted" or not run.emulated):
            yield run


def _of_stand_in(run: Record) -> bool:
    """True for a whole run of the Linux router: RouterOS's ratios tell nothing of kernels."""
    return run.state == "completed" and run.router["name"] == "linux"


def _bridging(record: Record) -> set[str]:
    """The conditions in which the router had a bridge, by what was read back."""
    return {c.name for c in record.conditions if '"info_kind":"bridge"' in c.read_back}


def _kernel(record: Record) -> str:
    return str(record.environment.get("kernel", "unknown"))


def _release(kernel: str) -> tuple[int, ...]:
    """The numbers that a kernel's name begins with: 6.12.118+deb13-amd64 is 6, 12, 118."""
    return tuple(int(part) for part in re.findall(r"\d+", kernel)[:3])


def _short(kernel: str) -> str:
    return ".".join(str(part) for part in _release(kernel)[:2])
