"""The site as a whole: what is around every page, and what stands on no page of its own."""

from __future__ import annotations

from sphinx.application import Sphinx

from ppslab.directives import head, rebuilding


def setup(app: Sphinx) -> None:
    """Register all of it; called by the extension."""
    head.setup(app)
    rebuilding.setup(app)
