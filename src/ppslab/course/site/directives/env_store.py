"""Notes that directives take on a page for other pages: kept by page, and renewed with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

Kept = TypeVar("Kept")


class Noted(Generic[Kept]):
    """One kind of note on each page; `name` is its attribute in Sphinx's environment."""

    every: ClassVar[list[Noted[Any]]] = []

    def __init__(self, name: str) -> None:
        self.name = f"ppslab_{name}"
        self.every.append(self)

    def of(self, env: BuildEnvironment) -> dict[str, Kept]:
        found: dict[str, Kept] = env.__dict__.setdefault(self.name, {})
        return found


def forget(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget the notes of a page that is read again."""
    for kind in Noted.every:
        kind.of(env).pop(docname, None)


def merge(_app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """Merge the notes of another process."""
    for kind in Noted.every:
        theirs = kind.of(other)
        kind.of(env).update({name: theirs[name] for name in docnames if name in theirs})


LATE: Noted[bool] = Noted("late")
"""Pages that show what other pages noted: written again whenever a page was read."""


class placeholder(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """The place of nodes that are known when every page has been read.

    `make` gives them, asked for with Sphinx, the page and this place.
    """


def later(
    env: BuildEnvironment, make: Callable[[Sphinx, str, placeholder], list[nodes.Node]], **more: Any
) -> placeholder:
    """A placeholder on the page that is being read; `more` is for `make`."""
    LATE.of(env)[env.docname] = True
    return placeholder("", make=make, **more)


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholders of a page."""
    for place in list(doctree.findall(placeholder)):
        place.replace_self(place["make"](app, docname, place))


def late(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    return sorted(LATE.of(env))


def declare_safe(app: Sphinx, _config: object) -> None:
    """Say for an extension that it may be read in several processes at once.

    sphinx-multitoc-numbering does not say, and Sphinx then reads on one CPU with a warning, which
    is fatal here.  It replaces one method at its setup and holds nothing.
    """
    extension = app.extensions.get("sphinx_multitoc_numbering")
    if extension is not None:
        extension.parallel_read_safe = True


def pages_that_name_others(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Every page, where the name of one has changed: it is in every sidebar."""
    return changed(env, "titles", {name: title.astext() for name, title in env.titles.items()})


def changed(env: BuildEnvironment, name: str, now: object) -> list[str]:
    """Every page, where what all of them show is not what it was at the last build."""
    before = env.__dict__.get(f"ppslab_{name}")
    env.__dict__[f"ppslab_{name}"] = now
    return sorted(env.found_docs) if before not in (None, now) else []
