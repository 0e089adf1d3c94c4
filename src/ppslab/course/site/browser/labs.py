"""A lab as a reader's browser has it: the same words as course.notebook, and recorded answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.display import Files, TextBlock
from ppslab.core.text.tables import Table
from ppslab.course.notebook.prediction import Prediction
from ppslab.course.notebook.progress import show_heading
from ppslab.course.site.browser.documents import (
    CannotInBrowserError,
    Written,
    chosen,
    folder,
    from_thing,
)
from ppslab.show.figures.figure import Figure


class BrowserLab:
    """A lab that a notebook has opened in a browser."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        name, titles = document["name"], dict(document["conditions"])
        # What cells read of the lab's own files travels with the documents.
        files = folder() / "labs" / name
        self.lab = SimpleNamespace(name=name, title=document["title"], folder=files)
        self._prediction = Prediction(name, titles, document["reference"])

    def __repr__(self) -> str:
        return str(self._document["shown"])

    def wiring(self) -> Figure:
        """The wiring, drawn from the topology file."""
        return from_thing(self._document["wiring"], Figure)

    def conditions(self) -> Table:
        """The conditions in their order, in words."""
        return from_thing(self._document["table"], Table)

    def published(self, source: str | None = None, *, everything: bool = False) -> Table:
        """The numbers behind the claims, as the sources print them; or every one of them."""
        found = self._document["published"]["everything" if everything else "claimed"]
        return chosen(found, source or "", "source", Table)

    def placement(self) -> Table:
        """Table of each stream's way through a machine of several sockets, as the lab says."""
        return from_thing(self._document["placement"], Table)

    def predict(self, **factors: float) -> Prediction:
        """Guess before you look: how many times as much as the reference does each condition cost?

        Fill in the fields, or give guesses with underscores for dashes:
        `lab.predict(routing_fast_path=0.5)`.
        """
        for name, factor in factors.items():
            self._prediction.guess(name.replace("_", "-"), factor)
        return self._prediction

    def run(
        self,
        conditions: Sequence[str] = (),
        sizes: Sequence[int] = (),
        *,
        profile: str = "quick",
        backend: str | None = None,
        search: bool = True,
        seed: int | None = None,
    ) -> BrowserRun:
        """The newest recorded run: a browser measures nothing.

        All of it, or the choices of conditions and frame sizes (bytes) that the notebooks make.
        """
        del seed
        self._begin(backend, profile)
        wanted = {"conditions": [*conditions], "sizes": [*sizes], "search": search}
        return BrowserRun(self, self._recorded("runs", wanted))

    def tcp(
        self,
        conditions: Sequence[str] = (),
        *,
        profile: str = "quick",
        backend: str | None = None,
        seed: int | None = None,
    ) -> BrowserRun:
        """The newest recorded run with TCP, all of it or some conditions."""
        del seed
        self._begin(backend, profile)
        return BrowserRun(self, self._recorded("tcp", {"conditions": [*conditions]}))

    def _begin(self, backend: str | None, profile: str) -> None:
        if backend not in (None, "auto", "recorded"):
            raise CannotInBrowserError(
                f"a browser has no backend {backend!r}: it shows recorded runs.\n"
                f"On your own machine: ppslab run {self.lab.name} --backend {backend}"
            )
        show_heading(f"{self.lab.title}, profile {profile}")

    def _recorded(self, kind: str, wanted: dict[str, Any]) -> dict[str, Any]:
        for name in wanted["conditions"]:
            self._known(name)
        runs: list[dict[str, Any]] = self._document[kind]
        for run in runs:
            if all(run["call"][key] == value for key, value in wanted.items()):
                return run
        command = {"runs": "run", "tcp": "tcp"}[kind]
        has = "\n".join(
            "  " + (", ".join(run["call"]["conditions"]) or "all conditions")
            + (f"; {run['call']['sizes']} bytes" if run["call"].get("sizes") else "")
            for run in runs
        )  # fmt: skip
        raise CannotInBrowserError(
            f"this choice of {self.lab.name} has no answer in the browser. It has:\n{has}\n"
            f"On your own machine: ppslab {command} {self.lab.name}"
        )

    def tasks(self, *, backend: str = "auto") -> Written:
        """The lab's tasks: what there is to do, on a machine of your own."""
        del backend
        return from_thing(self._document["tasks"], Written)

    def on_your_chr(self, condition: str | None = None) -> Files:
        """The condition's RouterOS configuration, to paste into a CHR or a router of your own."""
        name = condition or next(iter(self._document["chr"]))
        self._known(name)
        return from_thing(self._document["chr"][name], Files)

    def _known(self, name: str) -> None:
        if name not in self._document["chr"]:
            near = did_you_mean(name, self._document["chr"])
            there = ", ".join(self._document["chr"])
            raise UsageError(f"no condition {name!r} in {self.lab.name}{near}: there are {there}")


class BrowserRun:
    """A recorded run: its figures, tables and verdicts."""

    def __init__(self, lab: BrowserLab, said: dict[str, Any]) -> None:
        self._lab = lab
        self._said = said
        self.lab = lab.lab

    def __repr__(self) -> str:
        return repr(self._summary())

    def _repr_html_(self) -> str:
        return self._summary().html()

    def _summary(self) -> TextBlock:
        return from_thing(self._said["summary"], TextBlock)

    def figure(self, kind: str = "") -> Figure | TextBlock:
        """A figure by its kind; without one the first: `costs`, or `goodput` of a TCP run."""
        figures = self._said["figures"]
        return chosen(figures, kind or next(iter(figures)), "figure", Figure, TextBlock)

    def table(self, kind: str = "") -> Table | TextBlock:
        """A table by its kind; without one the first: `costs`, or `goodput` of a TCP run."""
        tables = self._said["tables"]
        return chosen(tables, kind or next(iter(tables)), "table", Table, TextBlock)

    def order(self) -> Table | TextBlock:
        """Every published order of the conditions, step by step."""
        return self.table("order")

    def claims(self) -> Table | TextBlock:
        """The sources' claims, with this run's verdicts."""
        return from_thing(self._said["claims"], Table, TextBlock)

    def prediction(self) -> Table | TextBlock:
        """The reader's guesses beside the measured ratios."""
        said = self._said.get("prediction", {"refused": "TCP has no prediction"})
        shown = from_thing(said, Table, TextBlock)
        if not isinstance(shown, Table):
            return shown
        guesses = self._lab.predict().guesses
        rows = [
            (row[0], replace(row[1], content=f"{guesses[row[0].text]:.3g}"), *row[2:])
            if row[0].text in guesses
            else row
            for row in shown.rows
        ]
        return replace(shown, rows=tuple(rows))

    @property
    def cannot_show(self) -> TextBlock:
        """The limits of this router and this profile."""
        return from_thing(self._said["cannot_show"], TextBlock)

    @property
    def provenance(self) -> TextBlock:
        """Provenance of the numbers: machine, method, date."""
        return from_thing(self._said["provenance"], TextBlock)

    @property
    def record(self) -> Any:
        """Not here: a record is megabytes, and the browser has what it says."""
        raise CannotInBrowserError(
            "the record itself is not in the browser, only its figures, tables and verdicts; "
            f"it is in the repository: {self._said['file']}"
        )
