"""Whether a run counts instructions or takes time, and which conditions can be counted at all."""

from __future__ import annotations

from typing import cast, get_args

from ppslab.backends.capabilities import usable
from ppslab.base.errors import UsageError, did_you_mean
from ppslab.base.measures import Measure
from ppslab.lab.lab import Condition, Lab
from ppslab.measurement.run_options import RunOptions


def measure_of(asked: str | None, options: RunOptions, lab: Lab) -> Measure:
    """What is measured: as asked for, or else as the lab has it where that can be counted.

    UsageError where instructions are asked for and nobody can count them there, and for a measure
    that is none.
    """
    known = get_args(Measure)
    if asked is not None and asked not in known:
        near = did_you_mean(asked, known)
        raise UsageError(f"no measure {asked!r}{near}: there are {', '.join(known)}")
    reason = _uncountable(options, lab)
    if asked == "counted" and reason:
        raise UsageError(f"--measure counted: {reason}")
    if asked is not None:
        return cast("Measure", asked)
    return "timed" if reason or not usable("vm").usable else lab.spec.measure


def _uncountable(options: RunOptions, lab: Lab) -> str:
    """Why nobody can count instructions there; empty where it can be done."""
    if options.router != "linux":
        return "instructions are counted in a guest of ours, and this router is none: it is timed"
    if options.backend not in ("auto", "vm"):
        return f"instructions are counted on the backend vm, not on {options.backend}"
    if options.tester != "ppstraffic":
        return f"the tester {options.tester} tells no time of its own, from which to count"
    if lab.spec.machine is not None:
        return f"{lab.name} wants a machine of several CPUs, and instructions are counted on one"
    return ""


def unlike_one_cpu(condition: Condition) -> str:
    """Why a condition's instructions are not counted; empty where they are."""
    if condition.cpus > 1:
        return f"it is about {condition.cpus} CPUs, and instructions are counted on one"
    if condition.rounds == 0:
        return "its throughput alone is measured, and counting knows none"
    return ""
