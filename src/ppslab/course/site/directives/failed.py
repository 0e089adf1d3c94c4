"""A page whose newest measurement failed says so at its top, with the reason and both dates.

So does the page of a lab that could not be judged, and of whose claims it shows none, and of one
that could not even be read, because its lab.yml is wrong, or a file named there is missing.  The
site is built without what these lack, and its build ends as a failure.  The front page says it of
every lab, and so do the status page and the scoreboard, which show all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ppslab.core.errors import PpslabError
from ppslab.course.site.directives.sources import labs_of, outcome_of
from ppslab.judge.outcome import Outcome
from ppslab.model.lab import lab as labs
from ppslab.model.results import failures
from ppslab.model.results.kinds import Failure

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


Said = tuple[tuple[str, ...], str]
"""A sentence, every second part of which is code, and the reason."""


def failures_of(failed: Iterable[Failure]) -> Iterator[Said]:
    """Sentences on failed measurements."""
    for each in failed:
        when = each.when.astimezone(UTC)
        older = failures.older(each)
        rest = (
            f"The numbers that the site shows were measured on {older:%Y-%m-%d %H:%M} UTC."
            if older
            else "It was never measured here, so its numbers are missing."
        )
        end = f", failed on {when:%Y-%m-%d %H:%M} UTC. {rest} The reason:"
        yield ("The newest measurement, ", each.measurement, end), each.reason


def unjudged(outcomes: Iterable[Outcome]) -> Iterator[Said]:
    """Sentences on labs that could not be judged."""
    for each in outcomes:
        end = " could not be judged: no page has a verdict on them. The reason:"
        yield ("The claims of ", each.lab.name, end), str(each.fault)


def unread(faults: Mapping[str, PpslabError]) -> Iterator[Said]:
    """Sentences on labs of which a file is wrong."""
    for name, fault in faults.items():
        older = failures.newest_date("run", name)
        rest = (
            f"Its newest run, of {older:%Y-%m-%d %H:%M} UTC, is shown again once this fault is "
            "corrected."
            if older
            else "It was never measured here."
        )
        sentence = (
            *("A file of the lab ", name, f" has a fault, so the site leaves the lab out. {rest} "),
            *(f"ppslab validate labs/{name}", " lists every fault, beginning with:"),
        )
        yield sentence, str(fault)


def box(said: Iterable[Said]) -> list[nodes.Node]:
    """The warning that says all of it; none where there is nothing to say."""
    warning = nodes.warning(classes=["ppslab-failed"])
    for parts, reason in said:
        sentence = nodes.paragraph()
        for number, part in enumerate(parts):
            sentence += nodes.literal(text=part) if number % 2 else nodes.Text(part)
        warning += [sentence, nodes.literal_block(reason, reason, language="text")]
    return [warning] if warning.children else []


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Put the warnings below the title of the page that was just read.

    A lab that could not be read or judged is a warning of the build's too, with which it fails at
    its end.
    """
    docname = app.env.docname
    readable, faults = labs.tried(labs_on(app.env, docname))
    # What became of measuring such a lab says the same.
    found = [each for each in failures.current() if each.lab not in faults]
    failed = shown_on(app.env, docname, found)
    bad = [judging for each in readable if (judging := outcome_of(each)).fault]
    said = [f"{name} cannot be read: {fault}" for name, fault in faults.items()]
    for each in (*said, *(one.sentence for one in bad)):
        logger.warning(each, location=docname, type="ppslab")
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    section.insert(1, [*box(unread(faults)), *box(failures_of(failed)), *box(unjudged(bad))])
