"""The flame graphs of a profile, each an SVG file of its own: no script, no font, no net.

Width is samples, height is the stack, the program at the bottom (Gregg 2016,
https://doi.org/10.1145/2909476).  Each box has a title, which browsers show under the pointer and
screen readers read.  Colours say the station; of a difference, which side has more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.measure.profiling.stations import UNKNOWN, Stations, load
from ppslab.model.results import ConditionProfile, ProfileRecord
from ppslab.show import templates

Folded = Mapping[tuple[str, ...], int]
"""Samples by stack, the outermost function first."""

WIDTH = 1200
_ROW = 18
_MARGIN = 10
_HEAD = 64
_LETTER = 7.0
"""Width of a letter at 11 px in a fixed-width font, a little generous."""

_LEAST = 0.3
"""A box that is narrower, in pixels, is not drawn."""

# Each with at least 4.5 : 1 for black letters on it (WCAG 2.2, 1.4.3), told apart by brightness
# too; the stations' own order gives the colours, so that one station has one colour on all graphs.
PALETTE = (
    "#f2a65a", "#7fc8f8", "#d9c5a0", "#8fd694", "#f28ab2", "#c9c9c9", "#ffd966", "#ff9e80",
    "#9fa8f5", "#80deea", "#e6ee9c", "#f5b7d6", "#b0bec5",
)  # fmt: skip
_PLAIN = "#e4e4e4"


@dataclass
class _Box:
    """One function under one stack of callers: samples in all, and its callees by name."""

    name: str
    samples: int = 0
    other: int = 0
    inside: dict[str, _Box] = field(default_factory=dict)


def flame_graph(
    folded: Folded, stations: Stations, *, title: str, subtitle: str, nanoseconds: float
) -> str:
    """The samples as a graph; `nanoseconds`: what all of them together stand for, per packet."""
    whole = _tree(folded, {})
    colours = dict(zip(stations.titles, PALETTE, strict=False))

    def colour(box: _Box, callers: tuple[str, ...]) -> str:
        name = stations.of((box.name, *reversed(callers)))
        return _PLAIN if name == UNKNOWN else colours.get(name, _PLAIN)

    def words(box: _Box, callers: tuple[str, ...]) -> str:
        share = box.samples / whole.samples
        name = stations.of((box.name, *reversed(callers)))
        station = stations.titles.get(name, name)
        return f"{box.name}: {share * nanoseconds:.0f} ns, {share:.1%} ({station})"

    return _draw(whole, title, subtitle, colour, words)


def difference(
    folded: Folded, before: Folded, *, title: str, subtitle: str, each: float, each_before: float
) -> str:
    """The graph of `folded`, coloured by how its time per packet differs from that of `before`.

    `each` and `each_before`: nanoseconds per packet that all samples of either stand for.
    Vermilion: it takes longer now; blue: it took longer before; grey: less than 1 % of a packet.
    """
    whole = _tree(folded, before)
    now, then = max(sum(folded.values()), 1), max(sum(before.values()), 1)

    def delta(box: _Box) -> float:
        return box.samples / now * each - box.other / then * each_before

    def colour(box: _Box, _callers: tuple[str, ...]) -> str:
        share = delta(box) / each
        if abs(share) < 0.01:
            return _PLAIN
        strong = abs(share) >= 0.05
        if share > 0:
            return "#f28a4b" if strong else "#fbd0b3"
        return "#7fb8e6" if strong else "#cde3f5"

    def words(box: _Box, _callers: tuple[str, ...]) -> str:
        return f"{box.name}: {box.samples / now * each:.0f} ns, {delta(box):+.0f} ns"

    return _draw(whole, title, subtitle, colour, words)


def _tree(folded: Folded, other: Folded) -> _Box:
    whole = _Box("all")
    for source, is_other in ((folded, False), (other, True)):
        for stack, samples in source.items():
            box = whole
            for name in (None, *stack):
                if name is not None:
                    box = box.inside.setdefault(name, _Box(name))
                if is_other:
                    box.other += samples
                else:
                    box.samples += samples
    return whole


def _depth(box: _Box) -> int:
    return 1 + max((_depth(inner) for inner in box.inside.values() if inner.samples), default=0)


def _draw(
    whole: _Box,
    title: str,
    subtitle: str,
    colour: Callable[[_Box, tuple[str, ...]], str],
    label: Callable[[_Box, tuple[str, ...]], str],
) -> str:
    depth = _depth(whole)
    height = _HEAD + depth * _ROW + _MARGIN
    scale = (WIDTH - 2 * _MARGIN) / max(whole.samples, 1)
    boxes: list[dict[str, Any]] = []

    def put(box: _Box, callers: tuple[str, ...], left: float) -> None:
        width = box.samples * scale
        if width < _LEAST:
            return
        room = int((width - 4) / _LETTER)
        text = box.name if len(box.name) <= room else box.name[: max(room - 1, 0)] + "…"
        top = _HEAD + (depth - 1 - len(callers)) * _ROW
        says = {"label": label(box, callers), "text": text if room >= 3 else ""}
        place = {"left": left, "top": top, "width": width}
        boxes.append({**says, **place, "colour": colour(box, callers)})
        for name in sorted(box.inside):
            inner = box.inside[name]
            put(inner, (*callers, box.name), left)
            left += inner.samples * scale

    put(whole, (), float(_MARGIN))
    size = {"width": WIDTH, "height": height, "margin": _MARGIN, "row": _ROW}
    page = "figures/flamegraph.svg.j2"
    return templates.page(page, title=title, subtitle=subtitle, boxes=boxes, **size)


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
