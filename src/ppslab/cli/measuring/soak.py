"""`ppslab soak`: one load for hours."""

from __future__ import annotations

import typer

from ppslab.cli.measuring.bar import Bar
from ppslab.cli.options import LabName, measuring
from ppslab.cli.printing import console
from ppslab.core import units
from ppslab.measure.soak import Options, run
from ppslab.model import results
from ppslab.model.lab import lab


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("soak")(soak)


@measuring(Options, without=("seed",))
def soak(name: LabName, options: Options) -> None:
    """Hold one load for hours, leg by leg; a stopped soak can be continued."""
    with Bar() as bar:
        try:
            record, path = run(lab.find(name), options, bar)
        except BaseException as stopped:
            if getattr(stopped, "__notes__", ()):
                stopped.add_note("the same command with --resume and that file goes on from there")
            raise
    for sentence in said(record):
        console.print(sentence, markup=False)
    console.print(record.provenance().sentence, style="dim", markup=False)
    console.print(f"record: {path}")


def said(record: results.SoakRecord) -> list[str]:
    """The results, a sentence each."""
    whole = [leg for leg in record.legs if leg.valid]
    span = units.human_span(len(whole) * record.leg_seconds)
    load = units.human_rate(record.load)
    made = [
        f"{record.condition}, frames of {record.frame_size} bytes, {load}: "
        f"{len(whole)} of {record.planned} legs are valid, {span}.",
        f"Lost: {record.lost} of {record.intended} frames.",
    ]
    losing = [leg for leg in whole if leg.lost]
    if losing:
        worst = max(losing, key=lambda leg: leg.lost)
        made.append(
            f"{len(losing)} legs lost frames; leg {worst.number}, begun "
            f"{worst.started:%Y-%m-%d %H:%M:%S} UTC, lost the most, {worst.lost}."
        )
    shares = [min(leg.streams.values()) / max(leg.streams.values()) for leg in whole if _fair(leg)]
    if shares:
        made.append(
            f"In the leg where the streams differed most, the one with the fewest frames got "
            f"{min(shares):.1%} of what the one with the most got."
        )
    return made


def _fair(leg: results.Leg) -> bool:
    """Whether shares of its streams mean something: there are several, and one got through."""
    return len(leg.streams) > 1 and max(leg.streams.values()) > 0
