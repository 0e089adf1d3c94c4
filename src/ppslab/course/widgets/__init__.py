"""Widgets: a model (ppslab.course.models) with controls before it, in a notebook and on a page.

`widget("line-rate", size=128)` gives an anywidget: its `inputs` may be set and its `answer`
observed from Python; in a page without Python the same model answers in the browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ppslab.course.widgets.live import ModelWidget


def widget(name: str, **inputs: Any) -> ModelWidget:
    """The widget of the model `name`, beginning with these inputs.

    UsageError where there is no such model or input, with a near one.
    """
    # Here, since a page's directive needs the facts and no anywidget.
    from ppslab.course.widgets.live import make  # noqa: PLC0415

    return make(name, inputs)
