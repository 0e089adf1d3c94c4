"""`ppslab.open(lab)` in a reader's browser: the notebook's own answers from the newest records.

Pyodide and JupyterLite import this in place of `course.notebook`.  Standard library only: what a
notebook's objects answer was asked of them when the site was built (`site.lite.recorded`), and
lies beside this file, pickled, under `recorded/`.
"""

from __future__ import annotations

import inspect
import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ppslab.core.errors import PpslabError, UsageError, did_you_mean
from ppslab.core.text.tables import Table
from ppslab.course.notebook.prediction import Prediction
from ppslab.course.notebook.progress import show_heading
from ppslab.model.simulated import EXAMPLES

GUESS = "your guess"
"""The column of a reader's guesses, in every table that has one."""


class CannotInBrowserError(PpslabError):
    """A request that takes a machine; the message says what the page has instead."""

    exit_code = 3


class Refused(str):
    """The words of a refusal, in the place of an answer."""


@dataclass
class Shown:
    """The text and the HTML of an object that lives on a machine only, as the panel of tasks."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


@dataclass
class Guessed:
    """A table with the column GUESS; `names`: of its rows, as guesses name them."""

    table: Table
    names: Sequence[str]
    guesses: Mapping[str, object] | None = None

    def beside(self, guesses: Mapping[str, object]) -> Table:
        """The table with these guesses; UsageError for one of no row."""
        if wrong := next((name for name in guesses if name not in self.names), None):
            raise UsageError(f"no {wrong!r}{did_you_mean(wrong, self.names)}")
        column = self.table.header.index(GUESS)
        rows = []
        for name, row in zip(self.names, self.table.rows, strict=True):
            guess = guesses.get(name, "-")
            text = f"{guess:.3g}" if isinstance(guess, float) else str(guess)
            cell = replace(row[column], content=text)
            rows.append((*row[:column], cell, *row[column + 1 :]))
        return replace(self.table, rows=tuple(rows))


@dataclass
class Method:
    """A method with its recorded answers, [arguments, answer].

    `command`: what asks anything else, on a machine.  `heading`: shown before the answer, with the
    arguments in its braces.  `known`: the names that arguments may have, beside the recorded ones.
    """

    signature: inspect.Signature
    answers: list[tuple[dict[str, Any], Any]]
    command: str
    heading: str = ""
    known: Sequence[str] = ()

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The recorded answer.  Which seed and which profile were asked for changes none."""
        bound = self.signature.bind(*args, **named)
        bound.apply_defaults()
        asked = arguments(bound)
        answer = next((answer for known, answer in self.answers if known == asked), None)
        if answer is None or bound.arguments.get("backend") not in (None, "auto", "recorded"):
            raise self._none(bound)
        if isinstance(answer, Refused):
            raise UsageError(answer)
        if self.heading:
            show_heading(self.heading.format(**bound.arguments))
        if isinstance(answer, Guessed):
            return answer.beside(bound.arguments.get("guess") or answer.guesses or {})
        return answer

    def _none(self, bound: inspect.BoundArguments) -> PpslabError:
        """The refusal of a call that was not recorded."""
        known = {*self.known, *(word for asked, _ in self.answers for word in _words(asked))}
        wrong = next((word for word in _words(arguments(bound)) if word not in known), None)
        if wrong:
            near = did_you_mean(wrong, known)
            return UsageError(f"no {wrong!r}{near}: there are {', '.join(sorted(known))}")
        backend = bound.arguments.get("backend")
        command = f"{self.command} --backend {backend}" if backend else self.command
        has = "\n".join(f"  {_call(asked)}" for asked, _ in self.answers)
        return CannotInBrowserError(
            f"a browser measures nothing, and has no answer to this call, but to:\n{has}\n"
            f"On your own machine: {command or 'the same cell'}"
        )


def arguments(bound: inspect.BoundArguments) -> dict[str, Any]:
    """The arguments that choose an answer, as plain data; a router is its name in EXAMPLES."""
    names = {make: name for name, make in EXAMPLES.items()}
    plain: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if callable(value):
            plain[name] = names.get(value, "this router")
        elif name == "guess":
            plain[name] = value is not None
        elif name not in ("backend", "profile", "seed"):
            plain[name] = [*value] if isinstance(value, tuple) else value
    return plain


def _words(asked: Mapping[str, Any]) -> list[str]:
    """Every word among the arguments, e.g. the conditions."""
    lists = (value if isinstance(value, list) else [value] for value in asked.values())
    return [word for values in lists for word in values if word and isinstance(word, str)]


def _call(asked: Mapping[str, Any]) -> str:
    chosen = [f"{name}={value!r}" for name, value in asked.items() if value not in ([], None, "")]
    return f"({', '.join(chosen)})"


class Recorded:
    """An object of a notebook: how it shows itself, and its methods and properties by name."""

    def __init__(self, shown: Any, parts: Mapping[str, Any]) -> None:
        self.shown = shown
        self.parts = dict(parts)

    def __getattr__(self, name: str) -> Any:
        # Not self.parts: an object that pickle has just begun has none yet.
        part = self.__dict__.get("parts", {}).get(name)
        if part is None:
            raise AttributeError(f"a browser's notebook has no {name!r} here")
        if isinstance(part, Refused):
            raise CannotInBrowserError(part)
        return part

    def __dir__(self) -> list[str]:
        return sorted(self.parts)

    def __repr__(self) -> str:
        return str(self.shown)

    def _repr_html_(self) -> str | None:
        html = getattr(self.shown, "_repr_html_", None)
        return html() if html else None


class RecordedLab(Recorded):
    """A lab: all of it is recorded but the reader's guesses."""

    def __init__(self, shown: str, parts: Mapping[str, Any], prediction: Prediction) -> None:
        super().__init__(shown, parts)
        self.prediction = prediction

    def predict(self, **factors: float) -> Prediction:
        """Guess before you look, as `course.notebook.OpenLab.predict`."""
        for name, factor in factors.items():
            self.prediction.guess(name.replace("_", "-"), factor)
        return self.prediction


def folder() -> Path:
    """The folder of what was recorded: beside this file, or `$PPSLAB_RECORDED`."""
    return Path(os.environ.get("PPSLAB_RECORDED") or Path(__file__).with_name("recorded"))


def load(name: str) -> Any:
    """What `site.lite.recorded` wrote; it comes in our own wheel, whose code runs here anyway."""
    return pickle.loads((folder() / f"{name}.pickle").read_bytes())


def open_lab(name: str) -> RecordedLab:
    """The lab called `name`; UsageError names the near ones where there is none."""
    known = sorted(path.stem for path in (folder() / "labs").glob("*.pickle"))
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"no lab {name!r}{near}: there are {', '.join(known)}")
    opened: RecordedLab = load(f"labs/{name}")
    # What cells read of the lab's own files travels with the answers.
    opened.parts["lab"] = SimpleNamespace(name=name, folder=folder() / "labs" / name)
    return opened
