"""Figure of a packet's nanoseconds: one bar a condition, one piece a station."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot
from matplotlib.patches import Patch

from ppslab.core.text.numbers import short
from ppslab.measure.profiling.stations import UNKNOWN, load
from ppslab.model.results import ConditionProfile, ProfileRecord
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.flamegraph import PALETTE
from ppslab.show.figures.style import style, svg_of

_NUMBERED = 0.035
"""A piece that is a smaller share of the longest bar has no number on it."""

_UNKNOWN_COLOUR = "#e4e4e4"


def stations_figure(record: ProfileRecord) -> Figure:
    """Every sampled condition of a profile, in its order from top to bottom."""
    profiles = [profile for profile in record.profiles if profile.stations]
    titles = {condition.name: condition.title for condition in record.conditions}
    return Figure(
        name="stations",
        title=f"Where the nanoseconds of a packet go ({record.profile['name']})",
        svg=_draw(profiles, titles),
        alt=" ".join(_words(profile, titles, record.reference) for profile in profiles)
        or "No condition was sampled.",
        lines=tuple(
            f"{profile.condition}, {station.title}: {station.nanoseconds:.0f} ns "
            f"± {2 * station.error:.0f}"
            for profile in profiles
            for station in profile.stations
        ),
        provenance=record.provenance(),
    )


def _draw(profiles: list[ConditionProfile], titles: dict[str, str]) -> str:
    colours = {**dict(zip(load().titles, PALETTE, strict=False)), UNKNOWN: _UNKNOWN_COLOUR}
    longest = max((profile.total.estimate for profile in profiles), default=1.0)
    titles_of: dict[str, str] = {}
    with style():
        plot = Plot(figsize=(9.5, 2.6 + 0.8 * len(profiles)))
        axes = plot.add_subplot()
        for row, profile in enumerate(profiles):
            left = 0.0
            for station in profile.stations:
                titles_of[station.name] = station.title
                axes.barh(
                    row, station.nanoseconds, left=left, height=0.62,
                    color=colours[station.name], edgecolor="#010203", linewidth=0.8,
                )  # fmt: skip
                if station.nanoseconds >= _NUMBERED * longest:
                    # Black on a light piece, on a dark page too: not the page's colour.
                    axes.text(
                        left + station.nanoseconds / 2, row, f"{station.nanoseconds:.0f}",
                        ha="center", va="center", fontsize=11, color="black",
                    )  # fmt: skip
                left += station.nanoseconds
        axes.set_yticks(range(len(profiles)), [titles[p.condition] for p in profiles])
        axes.set_ylim(max(len(profiles), 1) - 0.5, -0.5)
        axes.set_xlim(0, longest * 1.02)
        axes.set_xlabel("nanoseconds per packet, tester and router (left is faster)")
        patches = [
            Patch(facecolor=colours[name], edgecolor="#010203", label=titles_of[name])
            for name in colours
            if name in titles_of
        ]
        plot.legend(
            handles=patches, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=4, fontsize=11
        )
        return svg_of(plot)


def _words(profile: ConditionProfile, titles: dict[str, str], reference: str) -> str:
    largest = sorted(profile.stations, key=lambda station: -station.nanoseconds)
    pieces = ", ".join(f"{station.title} {station.nanoseconds:.0f} ns" for station in largest)
    beside = ""
    if profile.router and profile.ratio:
        beside = (
            f" The router's part is {short(profile.router.estimate)} ns, "
            f"{short(profile.ratio.estimate)} times that of {titles.get(reference, reference)}."
        )
    return (
        f"{titles[profile.condition]}: {profile.total.estimate:.0f} ns per packet, "
        f"of which {pieces}.{beside}"
    )
