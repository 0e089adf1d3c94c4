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
    frame,
    labs,
    learning,
    manual,
    sources,
)
from ppslab.course.site.directives.content import (
    configuration,
    overhead,
    page_router,
    plans,
    routeros,
    shell,
    slow,
    spacing,
    testers,
    widgets,
    wiring,
)
from ppslab.course.site.directives.frame import front, live, offline
from ppslab.course.site.directives.learning import tasks
from ppslab.course.site.directives.records import (
    calibration,
    cores,
    measuring,
    numbers,
    reports,
    scoreboard,
    sockets,
    stations,
    systems,
    tables,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives; called by Sphinx."""
    # A notebook that is executed for a page must not begin to measure.
    os.environ.setdefault("PPSLAB_BACKEND", "recorded")
    app.add_directive("ppslab-costs", tables.Costs)
    app.add_directive("ppslab-mikrotik-ratios", tables.VendorRatios)
    app.add_directive("ppslab-mikrotik-rates", tables.VendorRates)
    app.add_directive("ppslab-both-measures", tables.BothMeasures)
    app.add_directive("ppslab-kernels", tables.Kernels)
    app.add_directive("ppslab-counting-bias", tables.CountingBias)
    app.add_directive("ppslab-counters", tables.Counters)
    app.add_directive("ppslab-order", tables.Order)
    app.add_directive("ppslab-throughput", tables.Throughput)
    app.add_directive("ppslab-beside", tables.BesideTable)
    app.add_directive("ppslab-elsewhere", tables.ElsewhereTable)
    app.add_directive("ppslab-published", tables.PublishedNumbers)
    app.add_directive("ppslab-claims", tables.Claims)
    app.add_directive("ppslab-verdicts", tables.Verdicts)
    app.add_directive("ppslab-conditions", tables.Conditions)
    app.add_directive("ppslab-cannot-show", tables.CannotShow)
    app.add_directive("ppslab-curve", cores.Curve)
    app.add_directive("ppslab-figure", wiring.RecordFigure)
    app.add_directive("ppslab-wiring", wiring.Wiring)
    app.add_directive("ppslab-topology", wiring.Topology)
    app.add_directive("ppslab-topologies", wiring.Topologies)
    app.add_directive("ppslab-config", configuration.Configuration)
    app.add_directive("ppslab-measuring", measuring.Measuring)
    app.add_directive("ppslab-testers", testers.Testers)
    for each in (
        calibration,
        stations,
        reports,
        overhead,
        page_router,
        plans,
        routeros,
        scoreboard,
        shell,
        slow,
        spacing,
        frame,
        sockets,
        systems,
        tasks,
        widgets,
        labs,
        learning,
        live,
        manual,
    ):
        each.setup(app)
    app.add_role("ppslab-number", numbers.Number())
    app.add_role("ppslab-agreement", numbers.Agreement())
    app.add_role("ppslab-decided", numbers.Decided())
    app.connect("env-get-outdated", sources.outdated)
    app.connect("env-purge-doc", sources.forget)
    app.connect("env-merge-info", sources.merge)
    app.connect("builder-inited", front.front_page)
    app.connect("html-page-context", offline.drop_external, priority=950)
    app.connect("build-finished", front.old_address)
    app.connect("build-finished", offline.check)
    return {
        "version": VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 2,
    }
