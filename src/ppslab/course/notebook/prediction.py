"""A guess before the measurement: how many times as much as the reference does each one cost?"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.quantities import Named
from ppslab.core.text.tables import NOTHING, Cell, Table
from ppslab.course.notebook.progress import with_fields

if TYPE_CHECKING:
    from ppslab.model.results import Record

LOWEST, HIGHEST = 0.05, 50.0


class Prediction:
    """The reader's guesses, by condition; kept in the object, shown beside the result later.

    `titles`: of the lab's conditions, by name; `reference`: the condition that costs 1.
    """

    def __init__(self, lab: str, titles: Mapping[str, str], reference: str) -> None:
        self.lab, self.titles, self.reference = lab, titles, reference
        self.guesses: dict[str, float] = {}

    @property
    def asked(self) -> list[str]:
        """The conditions to guess: all but the reference."""
        return [name for name in self.titles if name != self.reference]

    def guess(self, condition: str, factor: float) -> None:
        """Guess that a packet under `condition` costs `factor` times the reference."""
        if condition not in self.titles:
            near = did_you_mean(condition, self.titles)
            there = ", ".join(self.titles)
            raise UsageError(f"no condition {condition!r} in {self.lab}{near}: there are {there}")
        if condition == self.reference:
            raise UsageError(f"{self.reference} is the reference: it costs 1 by definition")
        if not LOWEST <= factor <= HIGHEST:
            raise UsageError(f"a guess is between {LOWEST:g} and {HIGHEST:g}, not {factor:g}")
        self.guesses[condition] = float(factor)

    def beside(self, record: Record) -> Table:
        """The guesses beside what was measured at the smallest frame size."""
        # Imported here, since a browser's Python asks the question and reads no records.
        from ppslab.show import record_tables  # noqa: PLC0415

        size = min(record.frame_sizes)
        reference = self.titles[self.reference]
        return Table(
            title=f"Your guess and the result, relative to “{reference}”, {size} bytes",
            header=("condition", "your guess", "measured"),
            rows=tuple(
                (
                    Cell(Named(name, self.titles[name])),
                    Cell(self._text(name), kind=f"ppslab-guess guess-{name}"),
                    Cell(record_tables.ratio(record, name, self.reference, size)),
                )
                for name in self.asked
            ),
            provenance=record.provenance(),
        )

    def _text(self, condition: str) -> str:
        return f"{self.guesses[condition]:.3g}" if condition in self.guesses else NOTHING

    def __repr__(self) -> str:
        lines = [f"{name}: {self._text(name)}" for name in self.asked]
        return "\n".join([self._question(), *lines])

    def _question(self) -> str:
        return (
            f"If a packet under {self.reference} costs the router 1, what does it cost under "
            "each of these? (0.5: half as much; 3: three times as much)"
        )

    def _repr_html_(self) -> str:
        """The form on a page without a kernel; the site's script keeps what is typed."""
        fields = "".join(
            f'<label>{escape(self.titles[name])} <input type="number" '
            f'inputmode="decimal" min="{LOWEST:g}" max="{HIGHEST:g}" step="any" '
            f'data-guess="{escape(name)}" value="{self.guesses.get(name, "")}"></label>'
            for name in self.asked
        )
        return (
            f'<form class="ppslab ppslab-predict" data-lab="{escape(self.lab)}" '
            f'onsubmit="return false"><p>{escape(self._question())}</p>{fields}</form>'
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Fields with a kernel behind them in a live notebook; the form on a page."""
        del include, exclude
        return with_fields(self, self._widget)

    def _widget(self) -> Any:
        from ipywidgets import HTML, FloatText, VBox  # noqa: PLC0415

        def field(name: str) -> Any:
            title = self.titles[name]
            made = FloatText(
                value=self.guesses.get(name, 1.0),
                step=0.1,
                description=title,
                style={"description_width": "18em"},
                layout={"width": "28em"},
            )

            def changed(change: dict[str, Any]) -> None:
                if LOWEST <= change["new"] <= HIGHEST:
                    self.guess(name, change["new"])

            made.observe(changed, names="value")
            return made

        return VBox([HTML(value=escape(self._question())), *(field(n) for n in self.asked)])
