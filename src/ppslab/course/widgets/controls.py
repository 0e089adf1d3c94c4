"""The fields of a model's controls, and whether a reader's inputs fit them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.language import gettext
from ppslab.course.models import Control

KINDS: dict[str, tuple[str, ...]] = {
    "number": ("low", "high", "step", "unit"),
    "choice": ("choices",),
    "switch": (),
    "many": ("choices",),
    "text": (),
    "preset": ("choices",),
    "step": (),
    "file": (),
    "fragment": (),
}
"""Every kind of control, and the fields that it must have besides name, label and value.

A field F may come from the facts instead: `F_from` names their key.  So may whole controls:
`controls_from` is then their only field.  A `fragment` is not shown: its value is what the page's
address says after `#for=`.
"""

OPTIONAL = ("help", "when", "rows", "accept", "paste", "instead", "empties", "anywhere")
"""`instead`: the sentence that follows where a file is no text; `empties`: the inputs of texts that
a change of this one leaves empty; `anywhere`: a file that is dropped on any part of the page, or
was dropped on the front page, is this control's."""
WITHOUT_VALUE = ("preset",)


def resolved(controls: list[Control], facts: Mapping[str, Any]) -> list[Control]:
    """The controls with what they take from the facts; ValueError where one is incomplete.

    What a reader sees of them is in the language of the site.
    """
    whole: list[Control] = []
    for control in controls:
        whole += facts[control["controls_from"]] if "controls_from" in control else [control]
    return [_in_language(_resolved(control, facts)) for control in whole]


SAID = ("label", "help", "paste", "instead", "unit")
"""The fields that a reader sees, beside the labels of choices."""


def _in_language(control: Control) -> Control:
    shown = {key: gettext(value) if key in SAID else value for key, value in control.items()}
    # A preset's rows begin with the label, all others with a value.
    at = 0 if control["kind"] == "preset" else 1
    for key in ("choices",):
        if key in control:
            shown[key] = [
                [
                    gettext(part) if place >= at and isinstance(part, str) else part
                    for place, part in enumerate(row)
                ]
                for row in control[key]
            ]
    return shown


def _resolved(control: Control, facts: Mapping[str, Any]) -> Control:
    whole = {key: value for key, value in control.items() if not key.endswith("_from")}
    for key, value in control.items():
        if key.endswith("_from"):
            # Rows of the facts may say more than a choice: value and label come first.
            rows = facts[value]
            whole[key.removesuffix("_from")] = (
                [list(row[:2]) for row in rows] if key == "choices_from" else rows
            )
    name, kind = whole.get("name"), whole.get("kind")
    if kind not in KINDS:
        raise ValueError(f"control {name!r}: unknown kind {kind!r}")
    needed = {"name", "label", *KINDS[kind], *(() if kind in WITHOUT_VALUE else ("value",))}
    if missing := needed - set(whole):
        raise ValueError(f"control {name!r} ({kind}): lacks {', '.join(sorted(missing))}")
    if unknown := set(whole) - needed - {"kind", *OPTIONAL}:
        raise ValueError(f"control {name!r} ({kind}): unknown {', '.join(sorted(unknown))}")
    return whole


def beginning(controls: list[Control]) -> dict[str, Any]:
    """The value that each control begins with."""
    return {c["name"]: c["value"] for c in controls if c["kind"] not in WITHOUT_VALUE}


def with_inputs(controls: list[Control], inputs: Mapping[str, Any], where: str) -> list[Control]:
    """The controls beginning with these inputs; UsageError for an input that does not fit."""
    known = {control["name"]: control for control in controls}
    for name, value in inputs.items():
        if name not in beginning(controls):
            near = did_you_mean(name, known)
            raise UsageError(f"{where}: no input {name!r}{near}: there are {', '.join(known)}")
        _check(known[name], value, where)
    return [
        {**control, "value": inputs[control["name"]]} if control["name"] in inputs else control
        for control in controls
    ]


def _check(control: Control, value: Any, where: str) -> None:
    if control["kind"] == "number" and not (
        isinstance(value, int | float) and control["low"] <= value <= control["high"]
    ):
        allowed = f"{control['low']} to {control['high']}"
        raise UsageError(f"{where}: {control['name']} is a number from {allowed}, not {value!r}")
    if control["kind"] in ("choice", "many"):
        choices = [choice[0] for choice in control["choices"]]
        for one in value if control["kind"] == "many" else [value]:
            if one not in choices:
                allowed = ", ".join(str(choice) for choice in choices)
                raise UsageError(f"{where}: {control['name']} is one of {allowed}, not {one!r}")
