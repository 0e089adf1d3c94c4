"""MikroTik's own published test results, held against a claim: RouterOS itself speaks.

They stand in a lab's published.csv like any number, under a source of their own kind.  A ratio is
made inside one router's table only: pages are measured anew without a date, so two years never
stand in one ratio.  A table may print the measurement of another router once more (`same_as`):
that is one measurement, and counts once.  Over several measurements a ratio is their median, and
its interval reaches from the least to the greatest of them.  Of four that is no confidence
interval: the median of all such routers lies in it 7 times in 8, the next router 3 times in 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from ppslab.core.errors import did_you_mean
from ppslab.judge.claims.deciding import Question
from ppslab.judge.claims.judges import Judge, Place
from ppslab.judge.claims.pairs import Pairs
from ppslab.judge.claims.verdicts import rate
from ppslab.judge.costs import NoDataError
from ppslab.model.devices import SOURCES
from ppslab.model.lab.published import Published
from ppslab.model.statistics import Interval


class Tables(Pairs):
    """Rows of published.csv: what MikroTik's own tables have of one router."""


class Results:
    """The rates of MikroTik's tables: packets a second by router, condition and frame size.

    `printed` has all that the tables print; `rates` leaves out the rows of other routers'
    measurements.
    """

    def __init__(self, numbers: Iterable[Published]) -> None:
        every = list(numbers)
        self.numbers = {number.id: number for number in every}
        self.rows = [
            number
            for number in every
            if number.source.startswith(SOURCES) and number.quantity == "forwarding_rate"
        ]
        self.printed = {_cell(number): rate(number).low for number in self.rows}
        self.rates = {_cell(n): self.printed[_cell(n)] for n in self.rows if not n.same_as}

    @property
    def routers(self) -> list[tuple[str, str]]:
        """Each table's source and router, in the file's order."""
        return list(dict.fromkeys((number.source, number.hardware) for number in self.rows))

    @property
    def documents(self) -> dict[str, str]:
        """Each source's document, in the file's order."""
        return {number.source: number.document for number in self.rows}

    @property
    def copies(self) -> dict[tuple[str, int | None], str]:
        """The router whose measurements a table prints as those of a router, at a frame size."""
        return {
            (number.hardware, number.frame_size): self.numbers[number.same_as].hardware
            for number in self.rows
            if number.same_as
        }

    def ratios(self, above: Place, below: Place) -> dict[tuple[str, str], float]:
        """The cost of a packet under `above` over that under `below`, by router's table.

        Both are a condition and a frame size; a cost is one over a rate.
        """
        ratios = {}
        for table in self.routers:
            dear, cheap = self.rates.get((*table, *above)), self.rates.get((*table, *below))
            if dear and cheap:
                ratios[table] = cheap / dear
        return ratios

    def ratio(self, above: Place, below: Place) -> Interval | None:
        """The measurements' median, least and greatest; None where no table has both.

        `count` is how many measurements there are.
        """
        values = list(self.ratios(above, below).values())
        return _over(values) if values else None

    def known_ratio(self, above: Place, below: Place) -> Interval:
        """The same; NoDataError where no table has both."""
        ratio = self.ratio(above, below)
        if ratio is None:
            raise NoDataError(f"no table of MikroTik's has {above} and {below}")
        return ratio

    def have(self, rows: Iterable[Published]) -> bool:
        """True if one of the rows is MikroTik's own: its tables would agree with themselves."""
        return any(row.source.startswith(SOURCES) for row in rows)

    def named(self, tables: Tables, judge: Judge, rows: Sequence[Published]) -> Question:
        """Make the question of the rows that a claim names: each router's dearer over its cheaper.

        `rows` are those that the claim's source published.
        """
        return tables.asked(self.between(tables), judge, rows)

    def between(self, tables: Tables) -> Interval:
        """The median, the least and the greatest of the ratios that a claim's rows make."""
        pairs = zip(tables.dearer, tables.cheaper, strict=True)
        return _over(
            [rate(self.numbers[cheap]).low / rate(self.numbers[dear]).low for dear, cheap in pairs]
        )

    def routers_of(self, tables: Tables | None, sizes: Iterable[int]) -> str:
        """The routers that speak: those of the rows that a claim names.

        Or all that were measured themselves at each of these frame sizes.
        """
        if tables is None:
            sizes = tuple(sizes)
            measured = [
                name
                for _, name in self.routers
                if not any((name, size) in self.copies for size in sizes)
            ]
            return ", ".join(measured)
        return ", ".join(dict.fromkeys(self.numbers[name].hardware for name in tables.dearer))

    def faults(self, tables: Tables) -> Iterator[str]:
        """Yield the faults of the rows that a claim names, the first to mend first."""
        numbers = self.numbers
        unknown = [name for name in tables.named if name not in numbers]
        if unknown:
            yield f"published.csv has no row {unknown[0]!r}{did_you_mean(unknown[0], numbers)}"
            return
        for dear, cheap in zip(tables.dearer, tables.cheaper, strict=True):
            one, other = _place(numbers[dear]), _place(numbers[cheap])
            if not numbers[dear].source.startswith(SOURCES) or one != other:
                yield f"{dear} and {cheap} are no two rates of one router's table at one frame size"
            for name in (dear, cheap):
                if original := numbers[name].same_as:
                    yield f"{name} is the measurement of {original}: it would count twice"


def _cell(row: Published) -> tuple[str, str, str, int | None]:
    """A cell of a table: its source and router, condition and frame size."""
    return row.source, row.hardware, row.condition, row.frame_size


def _over(ratios: Sequence[float]) -> Interval:
    return Interval(median(ratios), min(ratios), max(ratios), len(ratios))


def _place(row: Published) -> tuple[object, ...]:
    return row.source, row.hardware, row.frame_size, row.quantity == "forwarding_rate"
