"""Sphinx extension: labs and records shown on pages, in a site that needs no other host.

Every directive reads the lab's own files and the newest record (results/, results/local), so a
number on a page is never typed.  Without a record a note takes its place.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
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
    manual,
    measuring,
    nodes,
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
from ppslab.course.site.directives.learning import (
    chapter,
    glossary,
    items,
    predicting,
    progress,
    quiz,
    tasks,
)

VIEWS = (changes, figures, labs, measuring, progress, rates, scoreboard, speeds, tables)
"""The modules that register views of ppslab-table, ppslab-figure and ppslab-list."""

DIRECTIVES = {
    "page-router": page_router.PageRouter,
    "ppslab-again": quiz.Again,
    "ppslab-cases": cases.Cases,
    "ppslab-config": configuration.Configuration,
    "ppslab-drills": cases.Drills,
    "ppslab-explained": configuration.Explained,
    "ppslab-goals": chapter.Goals,
    "ppslab-guess": predicting.Guess,
    "ppslab-guessed": predicting.Guessed,
    "ppslab-keys": chapter.Keys,
    "ppslab-manual": manual.Facts,
    "ppslab-overhead": overhead.Overhead,
    "ppslab-path": widgets.PacketPath,
    "ppslab-plan-nics": plans.PlanNics,
    "ppslab-predict": predicting.Predict,
    "ppslab-quiz": quiz.Quiz,
    "ppslab-report": reports.Report,
    "ppslab-schedule": chapter.Schedule,
    "ppslab-shown": configuration.Shown,
    "ppslab-slow": slow.Slow,
    "ppslab-tasks": tasks.TasksDirective,
    "ppslab-widget": widgets.Widget,
    **dict.fromkeys(views.KINDS, views.ViewDirective),
}

ROLES = {
    "ppslab-agreement": numbers.Agreement(),
    "ppslab-decided": numbers.Decided(),
    "ppslab-number": numbers.Number(),
    "ppslab-overhead": overhead.OverheadNumber(),
    "ppslab-plan-nics": plans.PlanNumber(),
    "ppslab-says": manual.Says(),
    "ppslab-worked": worked.Worked(),
}

LOADED = (
    ('class="ppslab-widget-still ppslab-drawing"', (), "widgets.css"),
    ('id="ppslab-compare"', ("device-names.js", "python.js", "compare.js"), ""),
    ("ppslab-cases-data", ("python.js", "cases.js"), "cases.css"),
    (page_router.MARK, ("router.js",), ""),
    (rates.MARK, ("device-names.js", "results.js", "front.js"), "front.css"),
    ("ppslab-ask", ("python.js", "results.js", "slow.js"), "slow.css"),
    (
        'id="ppslab-devices-filter"',
        ("device-names.js", "devices.js", "python.js", "results.js"),
        "",
    ),
    # In a notebook's output too.
    (widgets.STATE, ("results.js", "widgets.js"), "widgets.css"),
    (widgets.PATH, (), "widgets.css"),
    (quiz.MARK, ("quiz.js",), ""),
    ('id="ppslab-items"', ("progress-page.js",), ""),
)
"""What the text of a page holds, and the scripts, in their order, and the style that it needs."""


def load(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    """Load the scripts and the style of LOADED on the pages that need them."""
    for mark, scripts, style in LOADED:
        if mark in context.get("body", ""):
            for script in scripts:
                app.add_js_file(script, loading_method="defer")
            if style:
                app.add_css_file(style)


EVENTS: tuple[tuple[str, Callable[..., object], int], ...] = (
    ("config-inited", env_store.declare_safe, 500),
    ("config-inited", finish.take_address, 500),
    ("config-inited", languages.begin, 500),
    ("builder-inited", finish.front_page, 500),
    ("builder-inited", languages.give, 500),
    ("env-get-outdated", sources.outdated, 500),
    ("env-purge-doc", env_store.forget, 500),
    ("env-merge-info", env_store.merge, 500),
    ("source-read", items.from_source, 500),
    ("doctree-read", configuration.say_once_what_is_unconfirmed, 500),
    ("doctree-read", failed.mark, 500),
    ("doctree-read", once.read, 500),
    ("doctree-read", live.of_notebook, 500),
    ("doctree-read", search.read, 500),
    ("env-updated", env_store.late, 500),
    ("env-updated", glossary.updated, 500),
    ("env-updated", env_store.pages_that_name_others, 500),
    ("doctree-resolved", env_store.fill, 500),
    ("doctree-resolved", glossary.explain, 500),
    ("doctree-resolved", head.show, 500),
    # Behind the tables that are made when all pages are read, ahead of their translation.
    ("doctree-resolved", once.resolved, 850),
    ("doctree-resolved", languages.resolved, 900),
    # Sources are quoted as they are.
    ("doctree-resolved", once.finished, 950),
    ("html-collect-pages", device_pages.collect, 500),
    ("html-page-context", load, 500),
    ("html-page-context", items.mark, 500),
    ("html-page-context", head.describe, 500),
    ("html-page-context", head.respace, 500),
    ("html-page-context", languages.links, 500),
    ("html-page-context", live.load_script, 500),
    ("html-page-context", search.add_scripts, 500),
    ("html-page-context", offline.drop_external, 950),
    ("html-page-context", head.load_late, 960),
    ("build-finished", reports.write, 500),
    ("build-finished", finish.finish, 500),
    ("build-finished", finish.old_address, 500),
    ("build-finished", finish.gone, 500),
    ("build-finished", live.place, 500),
    ("build-finished", offline.check, 500),
    ("build-finished", search.write, 500),
    # After all that writes pages.
    ("build-finished", finish.guard, 900),
    # After what is put into the last page, and its policy.
    ("build-finished", languages.borrow, 950),
)
"""Sphinx's event, the function that it calls, and the priority: the lowest is called first."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all of it; called by Sphinx."""
    # A notebook that is executed for a page must not begin to measure.
    os.environ.setdefault("PPSLAB_BACKEND", "recorded")
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    for name, role in ROLES.items():
        app.add_role(name, role)
    app.add_node(env_store.placeholder)
    app.add_node(HideCodeCellNode, override=True, html=(folds.visit_cell, depart_HideCellInput))
    app.add_node(folds.fold, html=(folds.visit_fold, folds.depart_fold))
    app.add_node(folds.folded, html=(folds.visit_folded, folds.depart_folded))
    app.add_node(nodes.made_at, html=(once.visit_made_at, once.depart_made_at))
    app.add_node(once.fold_of_sources, html=(once.visit_sources, None))
    app.add_post_transform(folds.Folds)
    app.add_post_transform(languages.Elsewhere)
    app.add_lexer("routeros", devices.RouterOSLexer)
    app.add_lexer("sh", devices.ShellLexer)
    for event, function, priority in EVENTS:
        app.connect(event, function, priority)
    return {
        "version": VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": 9,
    }
