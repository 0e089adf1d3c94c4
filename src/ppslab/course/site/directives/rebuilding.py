"""Keeps what pages show of other pages right when only some are read again (build-site)."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


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
