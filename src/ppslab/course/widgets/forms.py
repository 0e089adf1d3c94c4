"""The title and the controls of each widget, from forms.yml; a page's Python has them as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, RootModel

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel


class Control(StrictModel):
    """An input of a model; what a field holds depends on the kind.

    Two kinds are not shown: the value of a `fragment` is what the page's address says of an
    answer (`#verdict=...`), that of `results` the test results that the reader pasted.
    """

    kind: Literal[
        "number",
        "choice",
        "switch",
        "many",
        "text",
        "preset",
        "step",
        "file",
        "fragment",
        "results",
    ]
    name: str
    label: str
    value: Any = Field(default=None, description="what it begins with; a preset has none")
    help: str = ""
    when: tuple[str, tuple[str, ...]] | None = Field(
        default=None, description="another control, and its values for which this one is shown"
    )
    low: int = 0
    high: int = 0
    step: int = 1
    unit: str = ""
    choices: list[Any] = Field(
        default_factory=list, description="[value, label]; of a preset [label, inputs]"
    )
    choices_from: str = ""
    rows: int = Field(default=0, description="of a text of several lines")
    accept: str = Field(default="", description="endings and types of a file")
    paste: str = Field(default="", description="what is asked for in a file's text field")
    instead: str = Field(default="", description="what follows where a file is no text")
    empties: tuple[str, ...] = Field(
        default=(), description="texts that a change of this control leaves empty"
    )
    after: bool = Field(
        default=False, description="it stands under the answer, which it asks more of"
    )
    folds: bool = Field(
        default=False, description="its answer folds the controls above it into one bar"
    )
    anywhere: bool = Field(
        default=False, description="a file dropped anywhere on the page is this control's"
    )


class OfFacts(StrictModel):
    """Controls that the facts have, under this key."""

    controls_from: str


class Form(StrictModel):
    """A widget's title and controls."""

    title: str
    long: bool = Field(
        default=False, description="some inputs keep the model busy for seconds: a worker answers"
    )
    controls: tuple[Control | OfFacts, ...]


def _read() -> Any:
    document = documents.load_yaml(Path(__file__).with_name("forms.yml"))
    fitting.validate(document, RootModel[dict[str, Form]])
    return document.data


DATA = _read()
