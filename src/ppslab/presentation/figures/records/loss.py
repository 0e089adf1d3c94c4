"""The frame loss rate curve (RFC 2544 section 26.3): both axes from 0 to 100 %."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FuncFormatter, MultipleLocator

from ppslab.analysis.port_limits import Stream, stream_of, stream_text
from ppslab.base.text.numbers import percent_text
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.lines import both_grids, look
from ppslab.presentation.figures.style import style, svg_of
from ppslab.results import SuiteRecord

Curves = dict[int, list[tuple[float, float]]]


def loss_figure(record: SuiteRecord, condition: str, stream: Stream) -> Figure:
    """One line a frame size, for one condition and one type of data stream.

    Across: the load as a share of the most that the tester sends, as RFC 2544 takes it of what the
    medium carries.  Points without a valid trial are left out.
    """
    curves: Curves = {}
    spoiled: list[str] = []
    for point in record.frame_loss:
        if point.condition != condition or stream_of(point) != stream:
            continue
        if point.loss_ratio is None:
            spoiled.append(f"{point.frame_size} bytes at {percent_text(point.share)}")
        else:
            curves.setdefault(point.frame_size, []).append((point.share, point.loss_ratio))
    curves = {size: sorted(points) for size, points in sorted(curves.items())}
    lines = tuple(
        f"{condition}, {size} bytes, at {percent_text(share)} of the maximum rate: "
        f"{percent_text(loss)} lost"
        for size, points in curves.items()
        for share, loss in points
    )
    return Figure(
        name=f"loss-{condition}-{'-'.join(stream)}",
        title=f"Frame loss rate: {condition}, {stream_text(stream)}",
        svg=_draw(curves),
        alt=_alt(curves),
        lines=lines,
        provenance=record.provenance(),
        cannot_show=f"Left out, as no trial was valid: {', '.join(spoiled)}." if spoiled else "",
    )


def _draw(curves: Curves) -> str:
    with style():
        plot = Plot(figsize=(9.5, 5.2))
        axes = plot.add_subplot()
        both_grids(axes)
        for turn, (size, points) in enumerate(curves.items()):
            axes.plot(
                [100 * share for share, _ in points],
                [100 * loss for _, loss in points],
                label=f"{size} bytes",
                # Where two sizes lose the same, both lines stay visible.
                linewidth=3.5 - 0.3 * turn,
                **look(turn),
            )
        axes.set_xlim(0, 102)
        axes.set_ylim(-2, 102)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MultipleLocator(20))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f} %"))
        axes.set_xlabel("load, share of the most that the tester sends")
        axes.set_ylabel("frames lost")
        if curves:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return svg_of(plot)


def _alt(curves: Curves) -> str:
    if not curves:
        return "No point of the curve has a valid trial."
    sentences = []
    for size, points in curves.items():
        share, loss = points[-1]
        clean = [s for s, lost in points if lost == 0]
        sentences.append(
            f"{size} bytes: {percent_text(loss)} lost at {percent_text(share)}, "
            + (
                f"nothing lost at {percent_text(max(clean))}"
                if clean
                else "something lost at every load"
            )
        )
    return "Loss against load, one line a frame size, both axes from 0 to 100 %. " + (
        "; ".join(sentences) + "."
    )
