"""What the chapter "Measuring" shows: computed where the page is built, or read from records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ppslab.core.errors import PpslabError, UsageError
from ppslab.core.text.tables import Table
from ppslab.course import measuring
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.model import meters, results, simulated
from ppslab.model.results.kinds import FaultsRecord
from ppslab.show.figures import Figure
from ppslab.show.figures.teaching import pause_figure
from ppslab.show.record_tables import faults
from ppslab.show.record_tables.faults import fault_table, pause_table

logger = logging.getLogger(__name__)

LAB = "fastpath"
SPIKES = "loss spikes"


@lru_cache(maxsize=1)
def _compared() -> measuring.Comparison:
    """Twenty searches of each kind take seconds, and are the same every time."""
    return measuring.compare(simulated.EXAMPLES[SPIKES])


def _held_up() -> simulated.Frames:
    """Two seconds on a router that makes its tester wait."""
    return simulated.EXAMPLES["back pressure"](1).frames(seconds=2.0, load=80_000)


def _broken(view: Callable[[FaultsRecord], Table | Figure | None]) -> Table | Figure | None:
    record = faults.newest(LAB)
    return view(record) if record else None


SHOWN: Mapping[str, Callable[[], object]] = {
    "wire": measuring.wire,
    "ports": measuring.ports,
    "meters": meters.table,
    "published-meters": measuring.published_meters,
    "total-meters": lambda: measuring.published_meters("fast-path-total"),
    "table-meters": lambda: measuring.published_meters("ccr1036-routing"),
    "goals": lambda: measuring.loss_curve(simulated.EXAMPLES[SPIKES]),
    "trace": lambda: measuring.watch(simulated.EXAMPLES[SPIKES]).figure(),
    "searches": lambda: _compared().table(),
    "search-spread": lambda: _compared().figure(),
    "back-pressure": lambda: measuring.two_delays(_held_up()),
    "noise": measuring.noise,
    "faults": lambda: _broken(fault_table),
    "pause": lambda: _broken(pause_table),
    "pause-figure": lambda: _broken(pause_figure),
}


class Measuring(SphinxDirective):
    """`{ppslab-measuring} WORD`: one of SHOWN; bad input is one warning with its line."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table or the figure, or a note where no run is recorded."""
        self.env.note_dependency(str(meters.FILE))
        for path in (next(results.stored(LAB, FaultsRecord), None), results.newest_path(LAB)):
            if path is not None:
                self.env.note_dependency(str(path))
        try:
            return self._made()
        except PpslabError as error:
            message = f"{self.name}: {error}"
            logger.warning(message, location=self.get_location(), type="ppslab")
            return [nodes.warning("", nodes.paragraph(text=message))]

    def _made(self) -> list[nodes.Node]:
        word = self.arguments[0]
        if word not in SHOWN:
            raise UsageError(f"no {word!r}: there are {', '.join(SHOWN)}")
        shown = SHOWN[word]()
        if isinstance(shown, Table):
            return table_nodes(shown)
        if isinstance(shown, Figure):
            return [nodes.raw("", shown.html(), format="html")]
        command = "run" if word == "noise" else "break"
        text = f"No such run is recorded yet: ppslab {command} {LAB} makes one."
        return [nodes.note("", nodes.paragraph(text=text))]
