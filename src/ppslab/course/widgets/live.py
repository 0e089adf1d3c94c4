"""The widget behind every model: Python answers while it is there, the page itself where not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.language import gettext, shown
from ppslab.course import models
from ppslab.course.widgets import controls, facts, forms, front


class ModelWidget(anywidget.AnyWidget):
    """A model with its controls.

    `inputs`: a value for each control; setting it asks the model.  `answer`: the model's answer.
    """

    _esm = front.module()
    _css = front.look()

    name = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    controls: traitlets.List[Any] = traitlets.List().tag(sync=True)
    inputs = traitlets.Dict().tag(sync=True)
    facts = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    @traitlets.observe("inputs")
    def _asked(self, change: object) -> None:
        del change
        self.answer = {
            **models.model(self.name).answer(self.inputs, self.facts),
            # Which inputs it answers: a front that asked twice shows the last.
            "inputs": self.inputs,
        }


def make(name: str, inputs: Mapping[str, Any]) -> ModelWidget:
    """The widget of a model; UsageError where there is no such model or input."""
    title, resolved, known = parts(name, inputs)
    return ModelWidget(
        name=name,
        title=title,
        controls=resolved,
        facts=known,
        inputs=controls.beginning(resolved),
    )


def parts(name: str, inputs: Mapping[str, Any]) -> tuple[str, list[models.Control], dict[str, Any]]:
    """Title, controls beginning with `inputs`, and facts of a model."""
    if name not in models.WIDGETS:
        near = did_you_mean(name, models.WIDGETS)
        raise UsageError(f"no widget {name!r}{near}: there are {', '.join(models.WIDGETS)}")
    known = shown(facts.of(name))
    begun = controls.with_inputs(controls.of(name, known), inputs, f"widget {name}")
    title = forms.DATA[name]["title"]
    return gettext(title), begun, known
