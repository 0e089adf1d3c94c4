"""The controls of a widget with what they take from its facts, and whether inputs fit them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.language import gettext
from ppslab.course.models import Control
from ppslab.course.widgets.forms import DATA

TEXTS = ("label", "help", "paste", "instead", "unit")
"""The fields that a reader sees, beside the labels of choices."""


def of(name: str, facts: Mapping[str, Any]) -> list[Control]:
    """The controls of a widget, in the language of the site."""
    controls: list[Control] = []
    for control in DATA[name]["controls"]:
        if "controls_from" in control:
            controls += facts[control["controls_from"]]
        else:
            controls.append(control)
    return [_whole(control, facts) for control in controls]


def _whole(control: Control, facts: Mapping[str, Any]) -> Control:
    whole = {key: gettext(value) if key in TEXTS else value for key, value in control.items()}
    if "choices_from" in whole:
        # Rows of the facts may say more than a choice: value and label come first.
        whole["choices"] = [row[:2] for row in facts[whole.pop("choices_from")]]
    if "choices" in whole:
        # A preset's rows begin with the label, all others with a value.
        at = 0 if whole["kind"] == "preset" else 1
        whole["choices"] = [
            [gettext(part) if index >= at and isinstance(part, str) else part
             for index, part in enumerate(row)]
            for row in whole["choices"]
        ]  # fmt: skip
    if whole["kind"] == "number":
        whole = {"step": 1, "unit": "", **whole}
    return whole


def beginning(controls: list[Control]) -> dict[str, Any]:
    """The value that each control begins with."""
    return {control["name"]: control["value"] for control in controls if "value" in control}


def with_inputs(controls: list[Control], inputs: Mapping[str, Any], where: str) -> list[Control]:
    """The controls beginning with these inputs; UsageError for an input that does not fit."""
    known = {control["name"]: control for control in controls}
    for name, value in inputs.items():
        if "value" not in known.get(name, ()):
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
