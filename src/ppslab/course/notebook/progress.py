"""Progress of a run: a bar in a notebook, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ppslab.core.text.tables import Table
    from ppslab.model.results import Transfer, Trial

LINES_EVERY = 50
"""Without a notebook: one line after so many trials."""


def in_kernel() -> bool:
    """True in a Jupyter kernel."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython  # noqa: PLC0415

    return get_ipython() is not None and "ipykernel" in sys.modules


def show_heading(heading: str, widget: Any = None) -> None:
    """Show what runs; in a notebook as an output that has the widget where there is one."""
    if not in_kernel():
        print(heading)
        return
    from IPython.display import display  # noqa: PLC0415

    display({"text/plain": heading, **view(widget)}, raw=True)  # type: ignore[no-untyped-call]


def view(widget: Any) -> dict[str, Any]:
    """A widget's part of an output's bundle; nothing for None."""
    model = {"version_major": 2, "version_minor": 0, "model_id": getattr(widget, "model_id", "")}
    return {"application/vnd.jupyter.widget-view+json": model} if widget is not None else {}


def with_fields(shown: Any, widget: Callable[[], Any]) -> dict[str, Any]:
    """The bundle of what has fields in a live notebook, where a kernel is behind them."""
    live = in_kernel() and os.environ.get("PPSLAB_BACKEND") != "recorded"
    bundle = {"text/plain": repr(shown), "text/html": shown._repr_html_()}
    return {**bundle, **view(widget() if live else None)}


class NotebookProgress:
    """Watches a run (`ppslab.measure.run.Progress`)."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        self._done = 0
        self._planned = 0
        self._bar: Any = None
        self._label: Any = None

    def __enter__(self) -> NotebookProgress:
        if not in_kernel():
            show_heading(self.heading)
            return self
        from ipywidgets import HTML, IntProgress, VBox  # noqa: PLC0415

        self._bar = IntProgress(min=0, max=1, layout={"width": "100%"})
        self._bar.add_class("ppslab-progress")
        self._label = HTML(value=self.heading)
        show_heading(self.heading, VBox([self._label, self._bar]))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._bar is not None:
            self._bar.value = self._bar.max
            self._bar.bar_style = "danger" if kind else "success"
            ended = "stopped" if kind else "done"
            self._label.value = f"{self.heading}: {ended} after {self._done} trials"

    def show(self, table: Table) -> None:
        """Show what will be done, before it starts."""
        print(table.plain())

    def plan(self, trials: int) -> None:
        """About this many trials are to come."""
        self._planned = trials
        if self._bar is not None:
            self._bar.max = max(trials, 1)

    def stage(self, text: str) -> None:
        if self._label is not None:
            self._label.value = f"{self.heading}: {text}"
        else:
            print(text)

    def trial(self, trial: Trial | Transfer) -> None:
        del trial
        self._done += 1
        if self._bar is not None:
            self._bar.max = max(self._planned, self._done)
            self._bar.value = self._done
        elif self._done % LINES_EVERY == 0:
            print(f"  {self._done} of about {self._planned} trials")
