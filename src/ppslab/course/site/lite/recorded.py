"""Answers of a notebook's objects about the newest records, pickled for course.site.browser.

Each is asked of the notebook's own classes, so that a cell shows the same in the browser.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ppslab.core.errors import PpslabError, place_of
from ppslab.core.text.tables import Table
from ppslab.course import measuring
from ppslab.course.measuring.breaking import HEADING
from ppslab.course.notebook import notebook
from ppslab.course.notebook.notebook import RECORDED, TcpRun
from ppslab.course.notebook.prediction import Prediction
from ppslab.course.site.browser import (
    GUESS,
    Guessed,
    Method,
    Recorded,
    RecordedLab,
    Refused,
    Shown,
    arguments,
)
from ppslab.course.site.lite import choices
from ppslab.course.tasks.notebook import TasksPanel
from ppslab.judge.costs import NoDataError
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.simulated import EXAMPLES
from ppslab.show.record_tables import faults

SEARCHED = ("loss spikes", "hard limit")
"""The simulated routers whose searches travel along: those of the notebook."""

LIKE = ("dut", "stream", "total", "ccr1036")

Call = tuple[Sequence[Any], Mapping[str, Any]]


def write(folder: Path, notebooks: Path) -> list[Path]:
    """Write `labs/NAME.pickle` for every lab and `measuring.pickle`; gives the files written.

    A lab of which a file is wrong has none: the site's pages say it, and fail its build.
    """
    answers: dict[str, Recorded] = {
        f"labs/{each.name}": lab(each.name, notebooks / f"{each.name}.ipynb")
        for each in labs.tried().readable
    }
    answers["measuring"] = chapter()
    written = []
    for name, recorded in answers.items():
        path = folder / f"{name}.pickle"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(recorded))
        written.append(path)
    return written


def method(
    ask: Callable[..., Any],
    calls: Iterable[Call] = (((), {}),),
    then: Callable[[Any], Any] = lambda answer: answer,
    *,
    command: str = "",
    heading: str = "",
    known: Sequence[str] = (),
) -> Method:
    """The method with its answers to these calls; `then` makes of each what a browser can hold."""
    made = Method(inspect.signature(ask), [], command, heading, known)
    for args, named in calls:
        bound = made.signature.bind(*args, **named)
        bound.apply_defaults()
        made.answers.append((arguments(bound), _answer(ask, bound, then)))
    return made


def _answer(
    ask: Callable[..., Any], bound: inspect.BoundArguments, then: Callable[[Any], Any]
) -> Any:
    if "backend" in bound.arguments:
        bound.arguments["backend"] = RECORDED
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return then(ask(*bound.args, **bound.kwargs))
    except (PpslabError, NoDataError) as error:
        return Refused(error)
    except Exception as error:  # one record's fault: the site's pages say it, and fail its build
        return Refused(place_of(error))


def _with(words: Iterable[str]) -> list[Call]:
    """A call without arguments, and one with each of these words."""
    return [((), {}), *(((word,), {}) for word in words)]


def lab(name: str, asked_by: Path) -> RecordedLab:
    """The lab as its notebook opens it; `asked_by` is that notebook, if there is one."""
    opened = notebook.open_lab(name)
    prediction, conditions = opened.predict(), [*opened.lab.conditions]
    sources = _with(dict.fromkeys(row.source for row in published.load(opened.lab).values()))
    parts = {
        "wiring": method(opened.wiring),
        "conditions": method(opened.conditions),
        "published": method(
            opened.published,
            [(args, {"everything": all_of}) for args, _ in sources for all_of in (False, True)],
        ),
        "placement": method(opened.placement),
        "on_your_chr": method(opened.on_your_chr, _with(conditions)),
        "tasks": method(opened.tasks, then=_shown),
    }
    for kind in ("run", "tcp"):
        parts[kind] = method(
            getattr(opened, kind),
            [((), {}), *(choices(asked_by, kind) if asked_by.exists() else [])],
            lambda run: _run(run, prediction),
            command=f"ppslab {kind} {name}",
            heading=f"{opened.lab.title}, profile {{profile}}",
            known=conditions,
        )
    return RecordedLab(repr(opened), parts, prediction)


def _run(run: notebook.Run | TcpRun, prediction: Prediction) -> Recorded:
    parts: dict[str, Any] = {
        "figure": method(run.figure, _with(run.figures)),
        "table": method(run.table, _with(run.tables)),
        "claims": method(run.claims),
        "cannot_show": run.cannot_show,
        "record": Refused(
            "the record itself is not in the browser, only its figures, tables and verdicts; "
            "it is in the repository, under results/"
        ),
    }
    if isinstance(run, notebook.Run):
        guessed = _guessed(prediction.asked, prediction.guesses)
        parts["order"] = method(run.order)
        parts["prediction"] = method(run.prediction, then=guessed)
        parts["provenance"] = run.provenance
    return Recorded(run.summary(), parts)


def _shown(of_a_machine: TasksPanel | measuring.Comparison | measuring.Watched) -> Shown:
    return Shown(repr(of_a_machine), of_a_machine._repr_html_())


def _guessed(
    names: Sequence[str], guesses: Mapping[str, object] | None = None
) -> Callable[[Any], Any]:
    def table(shown: Any) -> Any:
        with_guesses = isinstance(shown, Table) and GUESS in shown.header
        return Guessed(shown, names, guesses) if with_guesses else shown

    return table


def chapter() -> Recorded:
    """The functions of the chapter "Measuring"."""
    record = faults.newest("fastpath")
    names = [fault.name for fault in record.faults] if record else []
    routers: list[Call] = [((EXAMPLES[name],), {}) for name in SEARCHED]
    hard: Call = ((EXAMPLES["hard limit"],), {"title": "a router with a hard limit"})
    guess: list[Call] = [((), {}), ((), {"guess": {}})]

    def compared(answer: measuring.Comparison) -> Recorded:
        table = method(answer.table, guess, _guessed([each.method for each in answer.found]))
        return Recorded(_shown(answer), {"table": table, "figure": method(answer.figure)})

    def watched(answer: measuring.Watched) -> Recorded:
        table = method(answer.table)
        return Recorded(_shown(answer), {"table": table, "figure": method(answer.figure)})

    def broken(answer: measuring.Broken) -> Recorded:
        parts = {name: method(getattr(answer, name)) for name in ("delays", "figure")}
        table = method(answer.table, guess, _guessed(names))
        return Recorded(answer.summary(), {"table": table, **parts})

    parts = {
        "ports": method(measuring.ports),
        "noise": method(measuring.noise, _with(labs.names())),
        "published_meters": method(measuring.published_meters, _with(LIKE)),
        "compare": method(measuring.compare, [*routers, hard], compared),
        "watch": method(measuring.watch, routers, watched),
        "loss_curve": method(measuring.loss_curve, routers),
        "break_it": method(
            measuring.break_it,
            then=broken,
            command="ppslab break fastpath",
            heading=HEADING,
            known=names,
        ),
    }
    return Recorded("", parts)
