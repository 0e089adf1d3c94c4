"""`ppslab claims`: the published claims and their verdicts from the newest records."""

from __future__ import annotations

import json

import typer

from ppslab.cli.printing import console, left_out
from ppslab.core.text.terminal import echo
from ppslab.judge import claims, outcome
from ppslab.model.lab import lab
from ppslab.show import record_tables


def show_claims(
    name: str | None = typer.Argument(
        None, metavar="[LAB]", help="Only this lab; default: all labs."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print a JSON list, one object per claim."),
) -> None:
    """Show published claims with the measured values and the verdicts.

    The exit code is 1 if RouterOS or its manual refutes a claim, or if a lab could not be judged;
    it is 2 if a lab could not be read, or if a file of the named lab is wrong.
    """
    readable, unreadable = lab.Tried([lab.find(name)], {}) if name else lab.tried()
    outcomes = [outcome.of(each) for each in readable]
    faults = [each for each in outcomes if each.fault]
    if name and faults and faults[0].fault:
        raise faults[0].fault
    verdicts = [verdict for each in outcomes for verdict in each.judged]
    if as_json:
        echo(json.dumps([verdict.plain() for verdict in verdicts], indent=1))
    else:
        console.print(record_tables.claims_table(verdicts, None, conditions={}))
    for each in faults:
        echo(each.sentence, err=True)
    wrong = left_out(unreadable)
    refuted = any(each.verdict == claims.REFUTED for each in verdicts)
    raise typer.Exit(wrong or int(bool(faults) or refuted))
