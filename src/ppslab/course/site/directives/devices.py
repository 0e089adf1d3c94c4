"""Abilities of routers and testers as tables, and their commands in colour."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from pygments.lexer import RegexLexer, inherit
from pygments.lexers.shell import BashLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.core.text.tables import Table, cells
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import table
from ppslab.measure.testbed import routeros
from ppslab.model.lab import lab
from ppslab.testbed.routers.routeros.checks import CHECKS
from ppslab.testbed.routers.routeros.rsc import versions
from rosexplain.base import RULES


class RouterOSLexer(RegexLexer):
    """Enough to read by: comments, menus, commands, arguments, values, variables.

    Pygments has no lexer for RouterOS's scripts.
    """

    name = "RouterOS"
    aliases: ClassVar[list[str]] = ["routeros", "rsc"]
    filenames: ClassVar[list[str]] = ["*.rsc"]
    tokens: ClassVar = {
        "root": [
            (r"^[ ]*#.*$", Comment.Single),
            (r"/[a-z][\w/-]+", Name.Namespace),
            (r":[a-z]+\b", Keyword),
            (r"\b(add|set|print|find|where|monitor|quick|start|stop|remove|get)\b", Keyword),
            (r"[a-z][\w-]*(?==)", Name.Attribute),
            (r"=", Operator),
            (r'"(?:\\.|[^"\\])*"', String.Double),
            (r"\$\w+", Name.Variable),
            (r"\d[\w.:/-]*", Number),
            (r"[A-Za-z][\w.:/-]*", Text),
            (r"\s+|.", Text),
        ]
    }


class ShellLexer(BashLexer):
    """An address or a version in one colour.

    Pygments' own colours only the digits before the first dot: `ping -c 3 198` read as one.
    """

    tokens: ClassVar = {"data": [(r"\d+(?:[.,:/-]+\w+)+", Number), inherit]}


@table("router-checks")
def router_checks(_page: LabDirective) -> Table:
    """Table of the checks of `ppslab doctor --router`, in its order."""
    rows = [
        cells(name, " ".join((ask.__doc__ or "").split("\n\n")[0].split())) for name, ask in CHECKS
    ]
    return Table("Checks of ppslab doctor --router", ("check", "finding"), tuple(rows))


@table("bridge-offload")
def bridge_offload(_page: LabDirective) -> Table:
    """The bridge settings with which each family of switch chips keeps the flag H."""
    rows = documents.read_csv(RULES / "features.csv", ("chips", "devices", *SETTINGS))
    return Table.of(
        "Features with which ports keep the H flag, according to MikroTik's manual",
        rows,
        {
            "switch chip": lambda row: row["chips"],
            "for example": lambda row: row["devices"],
            **{title: partial(_keeps, name) for name, title in SETTINGS.items()},
        },
    )


SETTINGS = {
    "rstp": "STP, RSTP",
    "mstp": "MSTP",
    "vlan": "VLAN filtering",
    "igmp": "IGMP snooping",
    "dhcp": "DHCP snooping",
    "bonding": "bonding",
}


def _keeps(name: str, row: documents.Row) -> str:
    return "yes" if row[name] == "yes" else "no: CPU"


@table("routeros-versions")
def routeros_versions(_page: LabDirective) -> Table:
    """Table of arguments and commands that only some RouterOS versions have, a row for each."""
    known = versions.table()
    return Table.of(
        "Differences between RouterOS versions",
        known.changes,
        {
            "menu": lambda change: f"/{change.menu}",
            "argument or command": lambda change: ", ".join(change.arguments or change.commands),
            "on": lambda change: {"chr": "CHR", "hardware": "hardware", "any": "both"}[change.on],
            "versions that have it": lambda change: change.span,
            "source": lambda change: change.source,
        },
        f"The labs are written for RouterOS {known.oldest} to {known.newest}; every script is "
        "checked against the oldest and the newest of these versions.",
    )


@table("router-labs")
def router_labs(_page: LabDirective) -> Table:
    """Table of the labs that a CHR under containerlab, or a router on the bench, can stand in."""
    return Table.of(
        "Labs with a RouterOS router",
        lab.tried().readable,
        {
            "lab": lambda lab: lab.title,
            "ports": lambda lab: ", ".join(lab.spec.ports),
            "a CHR under containerlab": lambda lab: _stands(lab, on_bench=False),
            "a router on the bench": lambda lab: _stands(lab, on_bench=True),
        },
    )


def _stands(asked: lab.Lab, *, on_bench: bool) -> str:
    try:
        routeros.check(asked, on_bench=on_bench)
    except UsageError as error:
        # What a reader of the page cannot type is no use here: the option is the command's.
        return f"no: {str(error).partition(': --')[0]}"
    conditions = asked.conditions.values()
    wrong = [why for each in conditions if (why := routeros.unfit(each, on_bench=on_bench))]
    if not wrong:
        return f"all {len(conditions)} conditions"
    if len(wrong) == len(conditions):
        return f"no: {wrong[0]}"
    return f"{len(conditions) - len(wrong)} of {len(conditions)} conditions; the others: {wrong[0]}"
