"""What is shown before a measurement: on a bench what it will send, dry all that it would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ppslab import dry_run, place, profiles, sending, standing_routeros
from ppslab.cli.bar import console
from ppslab.dut import refuse
from ppslab.lab import Condition, Lab
from ppslab.place import Place
from ppslab.profiles import Profile
from ppslab.sending import Trials

Plan = Callable[[Profile, Sequence[Condition]], Sequence[Trials]]
"""The trials of a profile on these conditions."""


def show(
    lab: Lab,
    options: Place,
    names: Sequence[str],
    sizes: Sequence[int],
    trials: Plan,
    *,
    dry: bool,
) -> bool:
    """Print it; whether the measurement may follow, which it does not where it is dry.

    UsageError for what cannot be asked for, and for a bench that nobody has called isolated: it is
    refused after all of it was shown.
    """
    dut = place.check(options)
    if dut is None and not dry:
        return True
    profile = profiles.load(options.profile)
    conditions = [lab.condition(name) for name in names]
    if options.router == "routeros":
        bench = dut is not None
        standing_routeros.check(lab, bench=bench)
        conditions = [c for c in conditions if not standing_routeros.unfit(c, bench=bench)]
    if dut is not None:
        waits = profile.waits.settle_seconds + profile.waits.drain_seconds
        planned = trials(profile, conditions)
        for table in sending.tables(lab, dut, conditions, planned, waits):
            _print(f"{table.plain()}\n")
    if dry:
        for line in dry_run.lines(lab, options, dut, conditions, min(sizes), profile):
            _print(f"{line}\n")
        return False
    if dut is not None and not options.isolated:
        raise refuse(dut)
    return True


def _print(text: str) -> None:
    # As it stands: commands are copied from here, and a broken line would be another command.
    console.print(text, markup=False, soft_wrap=True)
