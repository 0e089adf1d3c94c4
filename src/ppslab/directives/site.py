"""The site as a whole: what is around every page, and what stands on no page of its own."""

from __future__ import annotations

from sphinx.application import Sphinx

from ppslab.directives import finish, head, moving, rebuilding, search, status


def setup(app: Sphinx) -> None:
    """Register all of it; called by the extension."""
    for each in (finish, head, moving, rebuilding, search, status):
        each.setup(app)
