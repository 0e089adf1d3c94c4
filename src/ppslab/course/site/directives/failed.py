"""A page whose newest measurement failed says so at its top, with the reason and both dates.

So does the page of a lab that could not be judged, and of whose claims it shows none, and of one
that could not even be read, because its lab.yml is wrong, or a file named there is missing.  The
site is built without what these lack, and its build ends as a failure.  The front page says it of
every lab, and so do the status page and the scoreboard, which show all.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ppslab.analysis.outcome import Outcome
from ppslab.base.errors import PpslabError
from ppslab.course.site.directives.sources import labs_of, outcome_of
from ppslab.lab import lab as labs
from ppslab.results import failures
from ppslab.results.kinds.failure import Failure

logger = logging.getLogger(__name__)


def labs_on(env: BuildEnvironment, docname: str) -> list[str]:
    """The labs, by name, that a page is of."""
    if docname == env.config.root_doc:
        return labs.names()
    # A chapter's folder and a notebook have the lab's name, also where they show no record of it.
    shown = labs_of(env, docname) | set(docname.split("/"))
    return [name for name in labs.names() if name in shown]


def shown_on(env: BuildEnvironment, docname: str, failed: list[Failure]) -> list[Failure]:
    """The failures that a page shows."""
    if docname == env.config.root_doc:
        return failed
    shown = labs_of(env, docname) | set(labs_on(env, docname))
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
    """The labs of a page that could be read, and not judged."""
    readable = labs.readable(labs_on(env, docname))
    return [judging for each in readable if (judging := outcome_of(each.name)).fault]


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


def unread(faults: Mapping[str, PpslabError]) -> nodes.warning:
    """The warning about labs of which a file is wrong."""
    box = nodes.warning(classes=["ppslab-failed"])
    for name, fault in faults.items():
        older = failures.newest_date("run", name)
        rest = (
            f"Its newest run, of {older:%Y-%m-%d %H:%M} UTC, is shown again when that is mended."
            if older
            else "It was never measured here."
        )
        sentence = nodes.paragraph()
        sentence += nodes.Text("A file of the lab ")
        sentence += nodes.literal(text=name)
        sentence += nodes.Text(f" is wrong, and the site leaves the lab out. {rest} ")
        sentence += nodes.literal(text=f"ppslab validate labs/{name}")
        sentence += nodes.Text(" says all that is wrong, beginning with:")
        box += [sentence, nodes.literal_block(str(fault), str(fault), language="text")]
    return box


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Put the warnings below the title of the page that was just read.

    A lab that could not be read or judged is a warning of the build's too, with which it fails at
    its end.
    """
    docname = app.env.docname
    shown = labs_on(app.env, docname)
    faults = {name: fault for name, fault in labs.unreadable().items() if name in shown}
    # What became of measuring such a lab says the same.
    found = [each for each in failures.current() if each.lab not in faults]
    failed = shown_on(app.env, docname, found)
    bad = unjudged_on(app.env, docname)
    said = [f"{name} cannot be read: {fault}" for name, fault in faults.items()]
    for each in (*said, *(one.sentence for one in bad)):
        logger.warning(each, location=docname, type="ppslab")
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    if bad:
        section.insert(1, unjudged(bad))
    if failed:
        section.insert(1, warning(failed))
    if faults:
        section.insert(1, unread(faults))


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("doctree-read", mark)
