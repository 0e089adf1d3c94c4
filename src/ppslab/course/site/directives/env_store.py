"""Notes that directives take on a page for other pages: kept by page, and renewed with it."""

from __future__ import annotations

from typing import Generic, TypeVar

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

Kept = TypeVar("Kept")


class Noted(Generic[Kept]):
    """One kind of note on each page; `name` is its attribute in Sphinx's environment."""

    def __init__(self, name: str) -> None:
        self.name = f"ppslab_{name}"

    def of(self, env: BuildEnvironment) -> dict[str, Kept]:
        """The notes, by page."""
        found: dict[str, Kept] = env.__dict__.setdefault(self.name, {})
        return found

    def setup(self, app: Sphinx) -> None:
        """Forget the notes of a page that is read again, and merge those of another process."""
        app.connect("env-purge-doc", self._forget)
        app.connect("env-merge-info", self._merge)

    def _forget(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        del app
        self.of(env).pop(docname, None)

    def _merge(
        self, app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment
    ) -> None:
        del app
        theirs = self.of(other)
        self.of(env).update({name: theirs[name] for name in docnames if name in theirs})


class Late:
    """Pages that show what other pages noted: written again whenever a page was read."""

    def __init__(self, name: str) -> None:
        self.pages: Noted[bool] = Noted(f"late_{name}")

    def note(self, env: BuildEnvironment) -> None:
        """The page that is being read shows it."""
        self.pages.of(env)[env.docname] = True

    def setup(self, app: Sphinx) -> None:
        """Register it; the notes that are shown register themselves."""
        self.pages.setup(app)
        app.connect("env-updated", lambda _, env: sorted(self.pages.of(env)))


def declare_safe(app: Sphinx, config: object) -> None:
    """Say for an extension that it may be read in several processes at once.

    sphinx-multitoc-numbering does not say, and Sphinx then reads on one CPU with a warning, which
    is fatal here.  It replaces one method at its setup and holds nothing.
    """
    del config
    extension = app.extensions.get("sphinx_multitoc_numbering")
    if extension is not None:
        extension.parallel_read_safe = True


def pages_that_name_others(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Every page, where the name of one has changed: it is in every sidebar."""
    del app
    now = {name: title.astext() for name, title in env.titles.items()}
    before = env.__dict__.get("ppslab_titles")
    env.__dict__["ppslab_titles"] = now
    return sorted(env.found_docs) if before not in (None, now) else []


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("config-inited", declare_safe)
    app.connect("env-updated", pages_that_name_others)
