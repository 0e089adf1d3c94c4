"""The graphs of a profile's record, as SVG files."""

from __future__ import annotations

from ppslab.base.errors import UsageError, did_you_mean
from ppslab.measurement.profiling.flamegraph import difference, flame_graph
from ppslab.measurement.profiling.stations import load
from ppslab.results import ConditionProfile, ProfileRecord


def graphs(record: ProfileRecord) -> dict[str, str]:
    """File names and what goes into them: a flame graph a condition, and the difference of two.

    Nothing for conditions that were counted and not sampled.
    """
    sampled = [profile for profile in record.profiles if profile.stacks]
    titles = {condition.name: condition.title for condition in record.conditions}
    drawn = {}
    for profile in sampled:
        drawn[f"{profile.condition}.svg"] = flame_graph(
            stacks_of(profile),
            load(),
            title=f"{titles[profile.condition]}: {profile.total.estimate:.0f} ns per packet, "
            "tester and router",
            subtitle=_subtitle(record, f"{profile.samples} samples"),
            nanoseconds=profile.total.estimate,
        )
    if len(sampled) == 2:
        before, now = sampled
        drawn["difference.svg"] = difference(
            stacks_of(now),
            stacks_of(before),
            title=f"{titles[now.condition]} against {titles[before.condition]}: "
            f"{now.total.estimate - before.total.estimate:+.0f} ns per packet",
            subtitle=_subtitle(record, "vermilion takes longer, blue less long"),
            each=now.total.estimate,
            each_before=before.total.estimate,
        )
    return drawn


def graph(record: ProfileRecord, condition: str, against: str | None = None) -> str:
    """The graph of one condition, or its difference from another; UsageError where it has none."""
    names = [condition] if against is None else [against, condition]
    by_name = {profile.condition: profile for profile in record.profiles if profile.stacks}
    for name in names:
        if name not in by_name:
            near = did_you_mean(name, by_name) or f" (there are: {', '.join(by_name)})"
            raise UsageError(f"no sampled condition {name!r} in {record.id}{near}")
    two = record.model_copy(update={"profiles": tuple(by_name[name] for name in names)})
    return graphs(two)["difference.svg" if against else f"{condition}.svg"]


def inline(svg: str, name: str) -> str:
    """A graph as a part of a page: without the head of a file, its ids made `name`'s own."""
    element = svg[svg.index("<svg") :]
    element = element.replace('id="title"', f'id="{name}-title"', 1)
    element = element.replace('id="desc"', f'id="{name}-desc"', 1)
    return element.replace(
        'aria-labelledby="title desc"', f'aria-labelledby="{name}-title {name}-desc"', 1
    )


def stacks_of(profile: ConditionProfile) -> dict[tuple[str, ...], int]:
    """Samples by stack, the outermost function first."""
    return {tuple(stack.split(";")): count for stack, count in profile.stacks.items()}


def _subtitle(record: ProfileRecord, text: str) -> str:
    return f"{record.frame_size} bytes; {text}; {record.provenance().sentence}"
