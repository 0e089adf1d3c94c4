"""A widget on a page: its state for the browser, and what it says first for readers without one.

The state is what the widget's front reads (course/widgets/front), so that `widgets.js` needs no
kernel and none of ipywidgets; the models answer in `models.js`, which `widgets.js` fetches.
Pages without a widget load neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from ppslab.core.errors import UsageError
from ppslab.core.text.display import sign_html
from ppslab.core.text.tables import Table, cells
from ppslab.course import widgets
from ppslab.course.models import model
from ppslab.course.site.directives.nodes import embedded, paragraphs, raw, table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.widgets import forms
from rosexplain import drawing

PATH = "explain-path"
"""The class of a drawing of a packet's path."""


PARTS = Path(widgets.__file__)
"""The package that widgets are made by; a page with a widget is made anew when it changes."""

STATE = "application/vnd.ppslab.widget+json"
_SAID = ("name", "title", "controls", "inputs", "facts", "answer")


class AnyInput(dict[str, Callable[[str], str]]):
    """Option names that docutils accepts: every one; the model's controls say which there are."""

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Callable[[str], str]:
        return directives.unchanged


class Widget(LabDirective):
    """`{ppslab-widget} NAME`, beginning with the inputs that its options name."""

    required_arguments = 1

    # Not empty: of an empty one MyST concludes that there are no options.
    option_spec: ClassVar = AnyInput(size=directives.unchanged)

    def make(self) -> list[nodes.Node]:
        """The widget, and below it what it says first, hidden where the widget lives."""
        name = self.arguments[0]
        inputs = {key: _value(text) for key, text in self.options.items()}
        live = widgets.widget(name, **inputs)
        for path in PARTS.parent.rglob("*"):
            if path.suffix in (".py", ".yml", ".js", ".css"):
                self.env.note_dependency(str(path))
        self.env.note_dependency(str(model(name).__file__))
        state = {key: getattr(live, key) for key in _SAID}
        state["long"] = forms.DATA[name].get("long", False)
        live.close()
        still = _still(state["title"], state["answer"])
        # The same as two lines of Python, for a notebook and for Python in the page.
        words = "".join(f", {key}={value!r}" for key, value in inputs.items())
        code = f'from ppslab.course.widgets import widget\n\nwidget("{name}"{words})'
        block = nodes.literal_block(code, code, language="python", classes=["ppslab-python"])
        return [
            nodes.container(
                "",
                self.raw(f'<script type="{STATE}">{embedded(state)}</script>'),
                nodes.container("", *still, classes=["ppslab-widget-still"]),
                nodes.container("", block, classes=["ppslab-cell"]),
                classes=["ppslab-widget-block"],
            )
        ]


class PacketPath(LabDirective):
    """`{ppslab-path}`: the drawing of the packet that its options set in `packet-path`."""

    option_spec: ClassVar = AnyInput(size=directives.unchanged)

    def make(self) -> list[nodes.Node]:
        asked = widgets.widget("packet-path", **{k: _value(v) for k, v in self.options.items()})
        answer = asked.answer
        asked.close()
        self.env.note_dependency(str(drawing.__file__))
        return [_path(one) for one in answer["figures"]]


def _value(text: str) -> object:
    """An option: JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _still(title: str, answer: dict[str, Any]) -> list[nodes.Node]:
    if "problem" in answer:
        raise UsageError(f"widget: {answer['problem']['says']}")
    made: list[nodes.Node] = [nodes.paragraph(text=title, classes=["ppslab-widget-title"])]
    made += paragraphs(*answer.get("says", ()))
    for one in answer.get("figures", ()):
        drawn = [raw(one["svg"]), nodes.paragraph(text=one["title"])]
        made.append(
            _path(one) if "narrow" in one
            else nodes.container("", *drawn, classes=["ppslab-drawing"])
        )  # fmt: skip
    for one in answer.get("tables", ()):
        rows = tuple(cells(*row) for row in one["rows"])
        made += table_nodes(Table(one["title"], tuple(one["header"]), rows))
    return [*made, *(raw(sign_html(one)) for one in answer.get("made", ()))]


def _path(figure: dict[str, Any]) -> nodes.Node:
    """A packet's path, lying and standing: the style shows what it has room for."""
    path = nodes.container(classes=[PATH])
    for place, svg in (("wide", figure["svg"]), ("narrow", figure["narrow"])):
        path += nodes.container("", raw(svg), classes=[f"{PATH}-{place}"])
    return path
