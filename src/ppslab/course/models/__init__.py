"""The model of each widget: what it asks, and what it answers.  One file serves three hosts.

A live notebook and the page's own Python (Pyodide) run a model in CPython; the static page runs
the same file in MicroPython, after `core.documents.micropython` took its types away and made its
dataclasses plain.  So models, and the modules of ppslab that they import, keep to the standard
library and to what MicroPython 1.27 knows: no `dict | dict`, no slices with a step, no `str.ljust`;
and a dict has no order there.

A model is a module with `answer(inputs, facts)`.  `inputs` holds a value for each control
(widgets/forms.yml), `facts` what the site read from its data files and records (widgets.facts).  An
answer is a dict: `says` (sentences), `verdict` (its kind, and the word for it), `because` (a
sentence), `figures` (title, svg, alt; of a path also `narrow` and its `label`), `tables` (title,
header, rows; `folds`: behind its title),
`listing` (lines of a text: number, text, mark), `switches` (which of them can be taken as gone:
`lines`, the text `input` that names those that are, and what it `says` of them),
`share` (the `fragment` of a link to it, and `posts`: a language's `name`, its `text`, and the
`link` that ends it; none where names are not replaced), `shared` (it is what such a link is about:
a `chapter`, and that one's `address`), `warns` (sentences), `values` (numbers
by name), `steps` (for a control of the kind step); or only `problem` ({"input", "says"}) where no
answer can be given for the inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

Control: TypeAlias = dict[str, Any]
"""kind, name, label and value of an input; the rest depends on its kind (widgets.forms)."""

Answer: TypeAlias = dict[str, Any]
"""A model's answer, ready to be shown."""

WIDGETS = (
    "line-rate",
    "packet-path",
    "explain",
    "nanoseconds",
    "offload-table",
    "eoip",
    "which-device",
)
"""The models that are widgets, in the order in which the course meets them."""

NAMES = WIDGETS + ("slow", "cases", "results-table", "compare-devices")
"""Every model; the last four are asked by their pages' own scripts."""


heard: list[Callable[[int, int], None]] = []
"""Whoever hears how far a long answer is; the worker of a page."""


def advance(done: int, of: int) -> None:
    """Tell how many parts of a long answer are done, and of how many."""
    for hears in heard:
        hears(done, of)


def model(name: str) -> Any:
    """The module of a model.  Raises ValueError where there is no model `name`."""
    if name not in NAMES:
        raise ValueError("no model " + repr(name) + ": there are " + ", ".join(NAMES))
    return import_module("ppslab.course.models." + name.replace("-", "_"))
