"""`ppslab soak`: one load for hours."""

from __future__ import annotations

from ppslab.cli.measuring.terminal import close, measured
from ppslab.cli.options import LabName, measuring
from ppslab.cli.printing import console
from ppslab.core import units
from ppslab.measure.soak import Options, run
from ppslab.model import results
from ppslab.model.lab import lab


@measuring(Options, without=("seed",))
def soak(name: LabName, options: Options) -> None:
    """Send one load for hours, leg by leg; a stopped soak can be continued."""
    try:
        record, path = measured(run, lab.find(name), options)
    except BaseException as stopped:
        if getattr(stopped, "__notes__", ()):
            stopped.add_note("to continue, repeat the command with --resume and that file")
        raise
    for sentence in summary(record):
        console.print(sentence, markup=False)
    close(record, path)


def summary(record: results.SoakRecord) -> list[str]:
    """Return the results, a sentence each."""
    whole = [leg for leg in record.legs if leg.valid]
    span = units.human_span(len(whole) * record.leg_seconds)
    load = units.human_rate(record.load)
    sentences = [
        f"{record.condition}, {record.frame_size}-byte frames, {load}: "
        f"{len(whole)} of {record.planned} legs are valid, {span}.",
        f"Lost: {record.lost} of {record.intended} frames.",
    ]
    losing = [leg for leg in whole if leg.lost]
    if losing:
        worst = max(losing, key=lambda leg: leg.lost)
        sentences.append(
            f"{len(losing)} legs lost frames; leg {worst.number}, started "
            f"{worst.started:%Y-%m-%d %H:%M:%S} UTC, lost the most: {worst.lost} frames."
        )
    shares = [min(leg.streams.values()) / max(leg.streams.values()) for leg in whole if _fair(leg)]
    if shares:
        sentences.append(
            f"In the leg with the largest difference between streams, the slowest stream got "
            f"{min(shares):.1%} as many frames as the fastest."
        )
    return sentences


def _fair(leg: results.Leg) -> bool:
    """True where shares of its streams mean something: there are several, and one got through."""
    return len(leg.streams) > 1 and max(leg.streams.values()) > 0
