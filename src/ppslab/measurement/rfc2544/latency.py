"""RFC 2544 section 26.2: latency at the throughput and below it, from every frame."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ppslab import results
from ppslab.lab.suite_schema import LatencySpec
from ppslab.measurement import calibration
from ppslab.measurement.rfc2544.stage import Stage, why_invalid
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.measurement.trial import every_frame
from ppslab.results import Delays, Latency, Percentile, Trial, Variation, shapes

MOST_KEPT = 10_000_000
"""Frames of a trial that are kept one by one (320 MB); longer trials are counted by the tester."""


def measure(stage: Stage, subjects: Sequence[UnderTest], spec: LatencySpec) -> list[Latency]:
    """Every subject at every share of its throughput, `repeats` times, in random order."""
    loads = [
        (subject, share) for subject in subjects if subject in stage.found for share in spec.shares
    ]
    trials: dict[tuple[UnderTest, float], list[Trial]] = {key: [] for key in loads}
    tasks = loads * spec.repeats
    stage.order.shuffle(tasks)
    for subject, share in tasks:
        rate = share * stage.found[subject]
        keep = stage.can("every frame") and rate * spec.seconds <= MOST_KEPT
        trials[subject, share].append(
            stage.trial(subject, "latency", spec.seconds, rate, keep_frames=keep)
        )
    return [described(stage, subject, share, trials[subject, share]) for subject, share in loads]


def described(stage: Stage, subject: UnderTest, share: float, trials: Sequence[Trial]) -> Latency:
    """The trials of one subject at one rate as a record has them."""
    rate = share * stage.found[subject]
    good = [trial for trial in trials if trial.valid]
    frames = [trial.every_frame for trial in good if trial.every_frame]
    whole = len(frames) == len(good)
    counts = [trial.counts for trial in good if trial.counts]
    medians = [count["delay_ns"]["p50"] for count in counts]
    return Latency(
        **subject.subject_fields(),
        share=share,
        rate=rate,
        trials=tuple(trial.number for trial in trials),
        from_intended=_delays(
            [f.from_intended for f in frames], [c["delay_ns"] for c in counts], whole
        ),
        from_actual=_delays(
            [f.from_actual for f in frames], [c["delay_actual_ns"] for c in counts], whole
        ),
        pdv=_typical([f.pdv for f in frames]),
        ipdv=_typical([f.ipdv for f in frames]),
        medians_ns=tuple(ns for ns in medians if ns is not None),
        reordered=_sum([c["reordered"] for c in counts]),
        duplicates=_sum([c["duplicates"] for c in counts]),
        lost=sum(c["intended"] - c["received"] for c in counts),
        resolution_ns=calibration.delay_resolution(stage.calibration, rate=rate),
        invalid_because=() if good else why_invalid(trials),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    """None where the tester does not count it."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _delays(kept: Sequence[Delays], counted: Sequence[shapes.DelayShape], whole: bool) -> Delays:
    """Of all frames of all trials: from their histograms, else from what the tester printed."""
    if whole:
        return every_frame.merge(kept)
    printed = [as_printed(delays) for delays in counted]
    printed = [delay for delay in printed if delay.count]
    if not printed:
        return Delays(count=0, min=None, mean=None, max=None)
    total = sum(delay.count for delay in printed)
    # Percentiles of several trials cannot be merged without their histograms: the median one.
    shares = [p.share for p in printed[0].percentiles]
    at = {
        share: median(p.ns for d in printed for p in d.percentiles if p.share == share)
        for share in shares
    }
    return Delays(
        count=total,
        min=min(d.min for d in printed if d.min is not None),
        mean=sum((d.mean or 0.0) * d.count for d in printed) / total,
        max=max(d.max for d in printed if d.max is not None),
        percentiles=tuple(
            Percentile(share=share, ns=round(ns), beyond=round(total * (1 - share)))
            for share, ns in at.items()
        ),
    )


_PRINTED: tuple[tuple[shapes.DelayWord, float], ...] = (
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p999", 0.999),
)


def as_printed(printed: shapes.DelayShape) -> Delays:
    """The delays as the tester printed them."""
    number, least, most = printed["count"], printed["min"], printed["max"]
    if not number or least is None or most is None:
        return Delays(count=0, min=None, mean=None, max=None)
    at = {share: printed[name] for name, share in _PRINTED}
    return Delays(
        count=number,
        min=int(least),
        mean=printed["mean"],
        max=int(most),
        percentiles=tuple(
            Percentile(share=share, ns=round(ns), beyond=round(number * (1 - share)))
            for share, ns in at.items()
            if ns is not None
        ),
    )


def _typical(variations: Sequence[Variation]) -> Variation:
    """Of several trials: the median trial at each share (RFC 8219 sections 7.2 and 7.3)."""
    seen = [variation for variation in variations if variation.count]
    if not seen:
        return Variation(count=0)
    least = [v.min for v in seen if v.min is not None]
    most = [v.max for v in seen if v.max is not None]
    return results.Variation(
        count=sum(variation.count for variation in seen),
        at={
            share: round(median(v.at[share] for v in seen if share in v.at)) for share in seen[0].at
        },
        min=min(least, default=None),
        max=max(most, default=None),
    )
