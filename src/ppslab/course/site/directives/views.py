"""`{ppslab-table}`, `{ppslab-figure}` and `{ppslab-list}`: views of labs and records by name.

    ```{ppslab-table} costs fastpath
    ```

A view is a function that takes the directive and the words behind its name; it says by its
parameters which words those are.  It is registered where its subject is:

    @table("costs")
    def costs(page: LabDirective, lab: str) -> Table: ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.site.directives.nodes import shown
from ppslab.course.site.directives.sources import LabDirective

View = Callable[..., Any]
"""Gives one thing that `nodes.shown` takes, or a sequence of them."""


class Views:
    """The views of one directive; called with a name, it registers the function below it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.by_name: dict[str, View] = {}

    def __call__(self, name: str) -> Callable[[View], View]:
        def register(view: View) -> View:
            self.by_name[name] = view
            return view

        return register

    def find(self, name: str) -> View:
        """The view; UsageError names the near ones, or all."""
        if name not in self.by_name:
            near = did_you_mean(name, self.by_name) or f": there are {', '.join(self.by_name)}"
            raise UsageError(f"no {self.kind} {name!r}{near}")
        return self.by_name[name]


table, figure, listing = Views("table"), Views("figure"), Views("list")
KINDS = {f"ppslab-{views.kind}": views for views in (table, figure, listing)}


class ViewDirective(LabDirective):
    """Each of KINDS: its first argument is the name of a view, and the others the view's words."""

    required_arguments = 1
    optional_arguments = 20
    option_spec: ClassVar = {"source": directives.unchanged_required}

    def make(self) -> list[nodes.Node]:
        """The nodes of what the view gives; UsageError for words that it does not take."""
        name, *words = self.arguments
        view = KINDS[self.name].find(name)
        signature = inspect.signature(view)
        try:
            signature.bind(self, *words)
        except TypeError as error:
            _, *takes = signature.parameters
            form = " ".join([name, *map(str.upper, takes)])
            raise UsageError(f"write {form}, not {' '.join(self.arguments)}") from error
        given = view(self, *words)
        return shown(*given) if isinstance(given, list | tuple) else shown(given)
