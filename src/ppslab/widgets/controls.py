"""What a control of a model may say, and whether the inputs of a reader fit its controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppslab.errors import UsageError, did_you_mean
from ppslab.models import Control

KINDS: dict[str, tuple[str, ...]] = {
    "number": ("low", "high", "step", "unit"),
    "choice": ("choices",),
    "switch": (),
    "many": ("choices",),
    "text": (),
    "preset": ("choices",),
    "place": ("items", "places"),
    "step": (),
    "file": (),
}
"""Every kind of control, and the words that it must have beside name, label and value.

A word W may come from the facts instead: `W_from` names their key.
"""

OPTIONAL = ("help", "when", "rows")
WITHOUT_VALUE = ("preset",)


def resolved(controls: list[Control], facts: Mapping[str, Any]) -> list[Control]:
    """The controls with what they take from the facts; ValueError where one is not whole."""
    return [_resolved(control, facts) for control in controls]


def _resolved(control: Control, facts: Mapping[str, Any]) -> Control:
    made = {key: value for key, value in control.items() if not key.endswith("_from")}
    for key, value in control.items():
        if key.endswith("_from"):
            # Rows of the facts may say more than a choice: value and label come first.
            rows = facts[value]
            made[key.removesuffix("_from")] = (
                [list(row[:2]) for row in rows] if key == "choices_from" else rows
            )
    name, kind = made.get("name"), made.get("kind")
    if kind not in KINDS:
        raise ValueError(f"control {name!r}: unknown kind {kind!r}")
    wanted = {"name", "label", *KINDS[kind], *(() if kind in WITHOUT_VALUE else ("value",))}
    if missing := wanted - set(made):
        raise ValueError(f"control {name!r} ({kind}): lacks {', '.join(sorted(missing))}")
    if unknown := set(made) - wanted - {"kind", *OPTIONAL}:
        raise ValueError(f"control {name!r} ({kind}): unknown {', '.join(sorted(unknown))}")
    return made


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
        said = f"{control['low']} to {control['high']}"
        raise UsageError(f"{where}: {control['name']} is a number from {said}, not {value!r}")
    if control["kind"] in ("choice", "many"):
        choices = [choice[0] for choice in control["choices"]]
        for one in value if control["kind"] == "many" else [value]:
            if one not in choices:
                said = ", ".join(str(choice) for choice in choices)
                raise UsageError(f"{where}: {control['name']} is one of {said}, not {one!r}")
