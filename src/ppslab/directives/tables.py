"""Directives that show tables of a lab and its newest record."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.environment import BuildEnvironment

from ppslab import counted, results, views
from ppslab.directives.nodes import table_nodes
from ppslab.directives.sources import LabDirective, Source, find_kind, no_record
from ppslab.errors import UsageError
from ppslab.results import TcpRecord
from ppslab.tables import Cell, Table, cells

SCOREBOARD = "book/claims"


class Costs(LabDirective):
    """`{ppslab-costs} LAB`: router time per packet by condition and frame size."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        return (
            table_nodes(views.costs(source.record)) if source.record else no_record(source.lab.name)
        )


class Counters(LabDirective):
    """`{ppslab-counters} LAB`: what the conditions' counters saw of the frames offered."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        return table_nodes(counted.counters_table(source.record))


class Order(LabDirective):
    """`{ppslab-order} LAB`: the published orders of conditions, step by step."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        return table_nodes(views.orders(source.lab, source.record))


class Throughput(LabDirective):
    """`{ppslab-throughput} LAB`: packets per second by tolerated loss."""

    def make(self) -> list[nodes.Node]:
        """The table, or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        return table_nodes(views.throughputs(source.record))


class BesideTable(LabDirective):
    """`{ppslab-beside} LAB`: published ratios beside measured ones; without a record too."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        source = self.source()
        pairs = views.beside(source.lab, source.published, source.record)
        return table_nodes(views.beside_table(pairs, source.provenance))


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
        tables = [views.published_table(numbers, name) for name in named if chosen in (None, name)]
        return [node for table in tables for node in table_nodes(table)]


class Claims(LabDirective):
    """`{ppslab-claims} LAB|all`: every claim with its verdict, a table for each source."""

    def make(self) -> list[nodes.Node]:
        """A heading line and a table for each source of each lab."""
        made: list[nodes.Node] = []
        for source in self.sources():
            tcp = find_kind(self.env, TcpRecord, source.lab.name)
            runs = [source.provenance] if source.record else []
            runs += [results.load_as(tcp, TcpRecord).provenance()] if tcp else []
            made += _claims(source, "; ".join(runs), scoreboard_page(self.env))
        return made


def scoreboard_page(env: BuildEnvironment) -> str:
    """The address of the scoreboard from the page that is read; empty in a site without it."""
    if SCOREBOARD not in env.found_docs or env.docname == SCOREBOARD:
        return ""
    return str(env.app.builder.get_relative_uri(env.docname, SCOREBOARD))


def _claims(source: Source, provenance: str, scoreboard: str) -> list[nodes.Node]:
    made: list[nodes.Node] = []
    judged = source.judged
    for name in dict.fromkeys(each.source for each in judged):
        mine = [each for each in judged if each.source == name]
        table = views.claims_table(mine, provenance, source.rows_of)
        # The statement stands for the claim, with the id that the command line knows it by.
        rows = tuple(
            (
                Cell(said.text, under=each.text, target=each.target),
                replace(printed, links=(f"{scoreboard}#{each.target}",)) if scoreboard else printed,
                *rest,
            )
            for each, said, printed, *rest in table.rows
        )
        titled = Table(
            title=f"{source.lab.title}: {name}",
            header=("claim", *table.header[2:]),
            rows=rows,
            provenance=table.provenance or "no run recorded yet",
        )
        frame, *below = table_nodes(titled)
        assert isinstance(frame, nodes.Element)
        frame["classes"].append("ppslab-claims")
        made += [frame, *below]
    return made


class Verdicts(LabDirective):
    """`{ppslab-verdicts} LAB|all`: how many claims got which verdict."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        judged = [each for source in self.sources() for each in source.judged]
        return table_nodes(views.verdict_counts(judged))


class Conditions(LabDirective):
    """`{ppslab-conditions} LAB`: the conditions in words."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        source = self.source()
        rows = tuple(
            cells(each.name, each.title, each.description)
            for each in source.lab.conditions.values()
        )
        header = ("condition", "title", "what happens to a packet")
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
