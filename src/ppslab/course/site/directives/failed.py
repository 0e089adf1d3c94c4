"""A page whose newest measurement failed says so at its top, with the reason and both dates.

So does the page of a lab that could not be judged, and of whose claims it shows none; the site is
built, and its build ends as a failure.  The front page says it of every lab, and so do the status
page and the scoreboard, which show all.
"""

from __future__ import annotations

from datetime import UTC

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ppslab.analysis.outcome import Outcome
from ppslab.course.site.directives.sources import labs_of, outcome_of
from ppslab.lab import lab as labs
from ppslab.results import failures
from ppslab.results.kinds.failure import Failure

logger = logging.getLogger(__name__)


def shown_on(env: BuildEnvironment, docname: str, failed: list[Failure]) -> list[Failure]:
    """The failures that a page shows."""
    if docname == env.config.root_doc:
        return failed
    # A chapter's folder and a notebook have the lab's name, also where they show no record of it.
    shown = labs_of(env, docname) | (set(docname.split("/")) & set(labs.names()))
    return [each for each in failed if each.lab in shown]


def warning(failed: list[Failure]) -> nodes.warning:
    """The warning about failed measurements on a page."""
    box = nodes.warning(classes=["ppslab-failed"])
    for each in failed:
        when = each.when.astimezone(UTC)
        older = failures.older(each)
        rest = (
            f"The numbers that the site shows were measured on {older:%Y-%m-%d %H:%M} UTC."
            if older
            else "It was never measured here, so its numbers are missing."
        )
        sentence = nodes.paragraph()
        sentence += nodes.Text("The newest measurement, ")
        sentence += nodes.literal(text=each.measurement)
        sentence += nodes.Text(f", failed on {when:%Y-%m-%d %H:%M} UTC. {rest} The reason:")
        box += [sentence, nodes.literal_block(each.reason, each.reason, language="text")]
    return box


def unjudged_on(env: BuildEnvironment, docname: str) -> list[Outcome]:
    """The labs of a page that could not be judged; of the front page, all of them."""
    every = labs.names()
    shown = labs_of(env, docname) | (set(docname.split("/")) & set(every))
    names = every if docname == env.config.root_doc else [name for name in every if name in shown]
    return [judging for name in names if (judging := outcome_of(name)).fault]


def unjudged(outcomes: list[Outcome]) -> nodes.warning:
    """The warning about labs that could not be judged."""
    box = nodes.warning(classes=["ppslab-failed"])
    for each in outcomes:
        sentence = nodes.paragraph()
        sentence += nodes.Text("The claims of ")
        sentence += nodes.literal(text=each.lab.name)
        sentence += nodes.Text(" could not be judged: no page has a verdict on them. The reason:")
        box += [sentence, nodes.literal_block(str(each.fault), str(each.fault), language="text")]
    return box


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Put the warnings below the title of the page that was just read.

    A lab that could not be judged is a warning of the build's too, with which it fails at its end.
    """
    docname = app.env.docname
    failed = shown_on(app.env, docname, failures.current())
    bad = unjudged_on(app.env, docname)
    for each in bad:
        logger.warning(each.sentence, location=docname, type="ppslab")
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    if bad:
        section.insert(1, unjudged(bad))
    if failed:
        section.insert(1, warning(failed))


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("doctree-read", mark)
