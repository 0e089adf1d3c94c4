"""Sphinx extension: what labs and records say, put into pages; and a site that asks nobody else.

Every directive reads the lab's own files and the newest record (results/, results/local), so a
number on a page is never typed.  Without a record a note stands in its place.
"""

from __future__ import annotations

import os
from typing import Any

from sphinx.application import Sphinx

import ppslab
from ppslab.directives import (
    calibration,
    configuration,
    front,
    learning,
    live,
    measuring,
    numbers,
    offline,
    overhead,
    plans,
    reports,
    routeros,
    scoreboard,
    site,
    sockets,
    sources,
    stations,
    tables,
    tasks,
    testers,
    widgets,
    wiring,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives; called by Sphinx."""
    # A notebook that is executed for a page must not begin to measure.
    os.environ.setdefault("PPSLAB_BACKEND", "recorded")
    app.add_directive("ppslab-costs", tables.Costs)
    app.add_directive("ppslab-counters", tables.Counters)
    app.add_directive("ppslab-order", tables.Order)
    app.add_directive("ppslab-throughput", tables.Throughput)
    app.add_directive("ppslab-beside", tables.BesideTable)
    app.add_directive("ppslab-published", tables.PublishedNumbers)
    app.add_directive("ppslab-claims", tables.Claims)
    app.add_directive("ppslab-verdicts", tables.Verdicts)
    app.add_directive("ppslab-conditions", tables.Conditions)
    app.add_directive("ppslab-cannot-show", tables.CannotShow)
    app.add_directive("ppslab-figure", wiring.RecordFigure)
    app.add_directive("ppslab-wiring", wiring.Wiring)
    app.add_directive("ppslab-topology", wiring.Topology)
    app.add_directive("ppslab-topologies", wiring.Topologies)
    app.add_directive("ppslab-config", configuration.Configuration)
    app.add_directive("ppslab-measuring", measuring.Measuring)
    app.add_directive("ppslab-testers", testers.Testers)
    calibration.setup(app)
    stations.setup(app)
    reports.setup(app)
    overhead.setup(app)
    plans.setup(app)
    routeros.setup(app)
    scoreboard.setup(app)
    site.setup(app)
    sockets.setup(app)
    tasks.setup(app)
    widgets.setup(app)
    learning.setup(app)
    live.setup(app)
    app.add_role("ppslab-number", numbers.Number())
    app.connect("env-get-outdated", sources.outdated)
    app.connect("env-purge-doc", sources.forget)
    app.connect("env-merge-info", sources.merge)
    app.connect("builder-inited", front.front_page)
    app.connect("html-page-context", offline.drop_external, priority=950)
    app.connect("build-finished", front.old_address)
    app.connect("build-finished", offline.check)
    return {
        "version": ppslab.__version__,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 1,
    }
