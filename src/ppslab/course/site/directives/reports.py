"""The directive that shows a record's results as its report does, and the report for download."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.core import documents
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError
from ppslab.course.site.directives.env_store import Noted
from ppslab.course.site.directives.nodes import bullets, made_by, shown
from ppslab.course.site.directives.sources import (
    LabDirective,
    NotRecordedError,
    find_kind,
)
from ppslab.model.results import SuiteRecord, TcpRecord
from ppslab.show import report
from ppslab.show.report.parts import Block

FOLDER = "reports"
REPORTS: Noted[dict[str, str]] = Noted("reports")
"""For each page the reports that it links to, by file name, and the records that they are of."""

KINDS: Mapping[str, type[StrictModel]] = {"rfc2544": SuiteRecord, "tcp": TcpRecord}


class Report(LabDirective):
    """`{ppslab-report} rfc2544|tcp LAB`: the newest record's results, section by section."""

    required_arguments = 2

    def make(self) -> list[nodes.Node]:
        """A line on what made it, the results, and a link to the whole report; or a note."""
        word, lab = self.arguments[:2]
        if word not in KINDS:
            raise UsageError(f"no report of {word!r}: there are {', '.join(KINDS)}")
        path = find_kind(self.env, KINDS[word], lab)
        if path is None:
            raise NotRecordedError.of_command(lab, f"{word} {lab}")
        source = report.load(str(path))
        name = f"{word}-{lab}.html"
        REPORTS.of(self.env).setdefault(self.env.docname, {})[name] = str(path)
        kind = report.kind_of(source)
        made: list[nodes.Node] = [made_by(source.record.provenance())]
        made += [node for block in kind.summary(source.record) for node in _nodes(block)]
        for title, blocks in kind.tests(source.record).items():
            made += [nodes.rubric(text=title), *(n for block in blocks for n in _nodes(block))]
        depth = self.env.docname.count("/")
        address = f"{'../' * depth}{FOLDER}/{name}"
        link = (
            f'<p><a href="{address}" download>The whole report as one file</a>, with the method, '
            "the configurations and every deviation from the RFC.</p>"
        )
        return [*made, self.raw(link)]


def _nodes(block: Block) -> list[nodes.Node]:
    match block:
        case str():
            return [nodes.paragraph(text=block)]
        case tuple():
            return [bullets(block)]
        case _:
            return shown(block)


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the reports that pages link to, each one file that opens offline."""
    if error is not None or app.builder.format != "html":
        return
    linked = [each for page in REPORTS.of(app.env).values() for each in page.items()]
    for name, path in linked:
        file = Path(app.outdir) / FOLDER / name
        # They take seconds; whatever else a report is made of makes the whole site anew.
        if file.exists() and file.stat().st_mtime > Path(path).stat().st_mtime:
            continue
        page = report.html([report.load(path)])
        documents.write_atomic(file, page)
