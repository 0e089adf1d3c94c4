"""Figure of a bond's bytes by port: measured, beside the hash's prediction."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot

from ppslab.core.text.quantities import Quantity, Sentence
from ppslab.judge import balance
from ppslab.judge.costs import NoDataError
from ppslab.model.results import TcpRecord
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.style import BLUE, VERMILION, style, svg_of

_BAR = 0.6
_HEADROOM = 1.1
"""So that the mark of the highest share is inside the plot as a whole."""


def links_figure(record: TcpRecord) -> Figure:
    """One plot a condition, a bar a port: the share of all bytes that the router sent by it.

    The last round of each condition: every round has other TCP ports, and so another hash.
    NoDataError where no condition has a bond and a valid transfer.
    """
    shares_of: dict[str, list[balance.Share]] = {}
    for condition in record.conditions:
        try:
            shares_of[condition.title] = balance.of_condition(record, condition.name, "both")[-1]
        except NoDataError:
            continue
    if not shares_of:
        raise NoDataError("no valid transfer over a bond, both")
    lines = []
    for title, shares in shares_of.items():
        most, least = (
            Quantity(100 * end(s.measured for s in shares), unit="%", digits=2)
            for end in (max, min)
        )
        even = f", even would be {100 / len(shares):.1f} %"
        lines.append(Sentence((f"{title}: busiest port ", most, ", idlest ", least, even)))
    words = "Share of all bytes that the router sent by each port of its bond, in the last round: "
    return Figure(
        name="links",
        title=f"Share of the router's bytes by port ({record.profile['name']})",
        svg=svg_of(drawn(shares_of)),
        alt=f"{words}{'; '.join(map(str, lines))}.",
        lines=tuple(lines),
        provenance=record.provenance(),
    )


def drawn(shares_of: dict[str, list[balance.Share]]) -> Plot:
    """The plots of the conditions below one another, all with one scale."""
    with style():
        plot = Plot(figsize=(9.5, 2.4 * len(shares_of)))
        rows = plot.subplots(len(shares_of), 1, sharex=True, sharey=True, squeeze=False)
        for axes, (title, shares) in zip(rows[:, 0], shares_of.items(), strict=True):
            places = range(len(shares))
            measured = [100 * share.measured for share in shares]
            axes.bar(places, measured, width=_BAR, color=BLUE, label="measured")
            predicted = [100 * share.predicted for share in shares]
            axes.plot(places, predicted, "_", color=VERMILION, markersize=34, markeredgewidth=4,
                      linestyle="none", label="predicted by the hash")  # fmt: skip
            axes.set_title(title, loc="left", fontsize=14)
            axes.set_xticks(list(places), [share.port for share in shares])
            axes.set_ylabel("%")
            axes.grid(axis="x", visible=False)
            axes.grid(axis="y", visible=True)
        # Of all conditions: a limit that is set while one is drawn would hold for the others too.
        most = max(max(s.measured, s.predicted) for own in shares_of.values() for s in own)
        rows[0, 0].set_ylim(0, 100 * _HEADROOM * most)
        rows[0, 0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
        plot.tight_layout()
    return plot
