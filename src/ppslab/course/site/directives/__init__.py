"""Sphinx extension: labs and records shown on pages, in a site that needs no other host.

Every directive reads the lab's own files and the newest record (results/, results/local), so a
number on a page is never typed.  Without a record a note takes its place.
"""

from __future__ import annotations

import os
from typing import Any

from sphinx.application import Sphinx

from ppslab.core.version import VERSION
from ppslab.course.site.directives import (
    cases,
    changes,
    configuration,
    device_pages,
    devices,
    env_store,
    failed,
    figures,
    labs,
    learning,
    manual,
    measuring,
    numbers,
    overhead,
    page_router,
    plans,
    rates,
    reports,
    scoreboard,
    slow,
    sources,
    speeds,
    status,
    tables,
    views,
    widgets,
    worked,
)
from ppslab.course.site.directives.frame import (
    finish,
    folds,
    head,
    languages,
    live,
    offline,
    once,
    search,
)

VIEWS = (changes, figures, labs, measuring, rates, scoreboard, status, tables)
"""The modules that only register views of ppslab-table, ppslab-figure and ppslab-list."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives; called by Sphinx."""
    # A notebook that is executed for a page must not begin to measure.
    os.environ.setdefault("PPSLAB_BACKEND", "recorded")
    for part in (
        *(views, devices, device_pages, reports, overhead, plans, manual, numbers, worked),
        *(cases, configuration, page_router, rates, slow, speeds, widgets, learning),
        *(sources, env_store, failed, head, folds, once, finish, languages, live, offline, search),
    ):
        part.setup(app)
    return {
        "version": VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 6,
    }
