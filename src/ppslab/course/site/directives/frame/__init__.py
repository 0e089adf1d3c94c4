"""The site as a whole: what is around every page, and what has no page of its own."""

from __future__ import annotations

from sphinx.application import Sphinx

from ppslab.course.site.directives import failed, rebuilding
from ppslab.course.site.directives.frame import finish, head, search, steps
from ppslab.course.site.directives.records import moving, status


def setup(app: Sphinx) -> None:
    """Register all of it; called by the extension."""
    for each in (failed, finish, head, moving, rebuilding, search, status, steps):
        each.setup(app)
