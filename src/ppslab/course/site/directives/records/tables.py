"""Directives that show tables of a lab and its newest record."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.environment import BuildEnvironment

from ppslab.core.errors import UsageError
from ppslab.core.provenance import Provenance, together
from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective, Source, find_kind, no_record
from ppslab.judge import claims, costs, kernels
from ppslab.judge.claims import vendor
from ppslab.judge.scoreboard import evidence_table
from ppslab.model.lab import elsewhere
from ppslab.model.results import TcpRecord
from ppslab.show import record_tables

SCOREBOARD = "book/claims"


class Costs(LabDirective):
    """`{ppslab-costs} LAB`: router time per packet by condition and frame size."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        table = record_tables.costs(source.record)
        results = vendor.Results(source.published.values())
        sentence = record_tables.vendor_sentence(results, source.lab.titles)
        if sentence and source.record.measure == "counted":
            table = replace(table, notes=(*table.notes, sentence))
        return table_nodes(table)


class VendorRatios(LabDirective):
    """`{ppslab-mikrotik-ratios} LAB`: MikroTik's own tables as ratios, beside the stand-in's."""

    def make(self) -> list[nodes.Node]:
        """The table; UsageError where the lab's published.csv has no results of MikroTik's."""
        source = self.source()
        results = vendor.Results(source.published.values())
        if not results.rows:
            raise UsageError(f"{source.lab.name}: published.csv has no results of MikroTik's own")
        newest = [source.runs.of_measure(measure)[:1] for measure in ("counted", "timed")]
        records = [record for runs in newest for record in runs]
        return table_nodes(record_tables.vendor_ratios(source.lab, results, records))


class VendorRates(LabDirective):
    """`{ppslab-mikrotik-rates} LAB`: MikroTik's own tables, as they were published."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        source = self.source()
        results = vendor.Results(source.published.values())
        return table_nodes(record_tables.vendor_rates(source.lab, results))


class BothMeasures(LabDirective):
    """`{ppslab-both-measures} LAB`: instructions, nanoseconds, and the time of an instruction."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        runs = self.source().runs
        counted, timed = runs.of_measure("counted"), runs.of_measure("timed")
        if not counted or not timed:
            return no_record(self.arguments[0])
        return table_nodes(record_tables.both_measures(counted[0], timed[0]))


class Kernels(LabDirective):
    """`{ppslab-kernels} LAB`: costs times the reference, on each kernel that counted them."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        name = self.source().lab.name
        for path in kernels.files():
            self.env.note_dependency(str(path))
        if not kernels.records(name):
            return [nodes.note("", nodes.paragraph(text=f"{name}: counted on one kernel only."))]
        return table_nodes(kernels.kernels_table(name))


class CountingBias(LabDirective):
    """`{ppslab-counting-bias} LAB`: each condition's counted ratio over its timed one."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        name = self.source().lab.name
        if not kernels.biases(name):
            text = f"{name}: no kept runs of both measures."
            return [nodes.note("", nodes.paragraph(text=text))]
        return table_nodes(kernels.bias_table(name))


class Counters(LabDirective):
    """`{ppslab-counters} LAB`: what the conditions' counters saw of the frames offered."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        return table_nodes(costs.counters_table(source.record))


class Order(LabDirective):
    """`{ppslab-order} LAB`: the published orders of conditions, step by step."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        return table_nodes(record_tables.orders(source.lab, source.record))


class Throughput(LabDirective):
    """`{ppslab-throughput} LAB`: packets per second by tolerated loss."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        searched = source.searched
        if searched is None:
            return no_record(source.lab.name)
        return table_nodes(record_tables.throughputs(searched))


class BesideTable(LabDirective):
    """`{ppslab-beside} LAB`: published ratios beside measured ones; without a record too."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        source = self.source()
        pairs = record_tables.beside(source.lab, source.published, source.record)
        return table_nodes(record_tables.beside_table(source.lab, pairs, source.provenance))


class ElsewhereTable(LabDirective):
    """`{ppslab-elsewhere} LAB`: what others measured of the same thing, beside ours."""

    def make(self) -> list[nodes.Node]:
        """The table; UsageError where the lab has no such file."""
        source = self.source()
        theirs = elsewhere.load(source.lab)
        if theirs is None:
            raise UsageError(f"{source.lab.name} has no {elsewhere.FILE}")
        self.env.note_dependency(str(source.lab.folder / elsewhere.FILE))
        return table_nodes(record_tables.elsewhere_table(source.lab, theirs, source.runs))


class PublishedNumbers(LabDirective):
    """`{ppslab-published} LAB`: a table for each source; of one source only with `:source:`."""

    option_spec: ClassVar = {"source": directives.unchanged_required}

    def make(self) -> list[nodes.Node]:
        """The tables, with an anchor on each row."""
        numbers = self.source().published
        named = dict.fromkeys(row.source for row in numbers.values())
        chosen = self.options.get("source")
        if chosen and chosen not in named:
            raise UsageError(f"no source {chosen!r}: there are {', '.join(named)}")
        tables = [
            record_tables.published_table(numbers, name) for name in named if chosen in (None, name)
        ]
        return [node for table in tables for node in table_nodes(table)]


class Claims(LabDirective):
    """`{ppslab-claims} LAB|all`: every claim with its verdict, a table for each source."""

    def make(self) -> list[nodes.Node]:
        """A heading line and a table for each source of each lab."""
        shown: list[nodes.Node] = []
        for source in self.sources():
            find_kind(self.env, TcpRecord, source.lab.name)
            made_by = together(run.provenance() for run in source.runs.all)
            shown += _claims(source, made_by, scoreboard_page(self.env))
        return shown


def scoreboard_page(env: BuildEnvironment) -> str:
    """The address of the scoreboard from the page that is read; empty in a site without it."""
    if SCOREBOARD not in env.found_docs or env.docname == SCOREBOARD:
        return ""
    return str(env.app.builder.get_relative_uri(env.docname, SCOREBOARD))


def _claims(source: Source, provenance: Provenance | None, page: str) -> list[nodes.Node]:
    made: list[nodes.Node] = []
    judged = source.judged
    for name in dict.fromkeys(each.source for each in judged):
        mine = [each for each in judged if each.source == name]
        table = record_tables.claims_table(
            mine, provenance, source.rows_of, conditions=source.lab.titles
        )
        rows = tuple(
            (each, replace(printed, links=(f"{page}#{each.target}",)) if page else printed, *rest)
            for each, printed, *rest in table.rows
        )
        titled = replace(
            table,
            title=f"{source.lab.title}: {claims.titles(source.lab).get(name, name)}",
            rows=rows,
            notes=() if table.provenance else ("No run is recorded yet.",),
        )
        frame, *below = table_nodes(titled)
        assert isinstance(frame, nodes.Element)
        frame["classes"].append("ppslab-claims")
        made += [frame, *below]
    return made


class Verdicts(LabDirective):
    """`{ppslab-verdicts} LAB|all`: how many claims got which verdict, on which evidence."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        judged = [each for source in self.sources() for each in source.judged]
        return table_nodes(evidence_table(judged))


class Conditions(LabDirective):
    """`{ppslab-conditions} LAB`: the conditions in words."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        source = self.source()
        rows = tuple(
            (Cell(each.title, under=each.name), Cell(each.description))
            for each in source.lab.conditions.values()
        )
        header = ("condition", "what happens to a packet")
        return table_nodes(Table(f"The conditions of {source.lab.title}", header, rows))


class CannotShow(LabDirective):
    """`{ppslab-cannot-show} LAB`: what the router and the profile of the newest run cannot show."""

    def make(self) -> list[nodes.Node]:
        """A list, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        shown = nodes.bullet_list()
        skipped = [f"Not measured: {s.condition}: {s.reason}." for s in source.record.skipped]
        for text in (source.record.router["cannot_show"], *source.record.deviations, *skipped):
            item = nodes.list_item()
            item += nodes.paragraph(text=text)
            shown += item
        return [shown]
