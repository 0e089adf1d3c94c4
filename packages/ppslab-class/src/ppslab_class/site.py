"""A Sphinx extension: what a class brings to the pages of the course."""

from __future__ import annotations

from sphinx.application import Sphinx

from ppslab_class import site_outlines, site_slides


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives; called by Sphinx."""
    for each in (site_outlines, site_slides):
        each.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
