"""The graphs of a profile's record, as SVG files."""

from __future__ import annotations

from ppslab.profiling.flamegraph import difference, flame_graph
from ppslab.profiling.stations import load
from ppslab.results import ConditionProfile, ProfileRecord


def graphs(record: ProfileRecord) -> dict[str, str]:
    """File names and what goes into them: a flame graph a condition, and the difference of two.

    Nothing for conditions that were counted and not sampled.
    """
    sampled = [profile for profile in record.profiles if profile.stacks]
    titles = {condition.name: condition.title for condition in record.conditions}
    made = {}
    for profile in sampled:
        made[f"{profile.condition}.svg"] = flame_graph(
            stacks_of(profile),
            load(),
            title=f"{titles[profile.condition]}: {profile.total.estimate:.0f} ns per packet, "
            "tester and router",
            subtitle=_subtitle(record, f"{profile.samples} samples"),
            nanoseconds=profile.total.estimate,
        )
    if len(sampled) == 2:
        before, now = sampled
        made["difference.svg"] = difference(
            stacks_of(now),
            stacks_of(before),
            title=f"{titles[now.condition]} against {titles[before.condition]}: "
            f"{now.total.estimate - before.total.estimate:+.0f} ns per packet",
            subtitle=_subtitle(record, "vermilion takes longer, blue less long"),
            each=now.total.estimate,
            each_before=before.total.estimate,
        )
    return made


def stacks_of(profile: ConditionProfile) -> dict[tuple[str, ...], int]:
    """Samples by stack, the outermost function first."""
    return {tuple(stack.split(";")): count for stack, count in profile.stacks.items()}


def _subtitle(record: ProfileRecord, words: str) -> str:
    return f"{record.frame_size} bytes; {words}; {record.provenance()}"
