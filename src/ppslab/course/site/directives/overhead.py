"""Overheads of tunnels, calculated where they are shown: tables, and numbers in a sentence."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from ppslab.core.errors import UsageError
from ppslab.core.text.tables import Table
from ppslab.course.site.directives.nodes import shown
from ppslab.course.site.directives.sources import LabDirective, NumberRole
from ppslab.model.tunnels.overhead import Sent, Stack, parse
from ppslab.show import tunnel_tables

FORMS = (
    "largest|added|mss MTU LAYER..., inside|bridged|frames MTU PACKET LAYER... (innermost first)"
)


class Overhead(LabDirective):
    """`{ppslab-overhead} LAYER...`: parts, limits or ways of one stack, by `:show:`.

    With a body: stacks beside each other, one a line.
    """

    optional_arguments = 9
    has_content = True
    option_spec: ClassVar = {"show": directives.unchanged_required}

    def make(self) -> list[nodes.Node]:
        if not self.arguments:
            return shown(self._compared())
        stack = Stack(parse(tuple(self.arguments)), 1500)
        name = self.options.get("show", "ways")
        tables = {
            "parts": lambda: tunnel_tables.parts_table(stack),
            "limits": lambda: tunnel_tables.limits_table(stack),
            "ways": lambda: tunnel_tables.ways_table(stack, 1500),
        }
        if name not in tables:
            raise UsageError(f"no table {name!r}: there are {', '.join(tables)}")
        return shown(tables[name]())

    def _compared(self) -> Table:
        stacks = [tuple(line.split()) for line in self.content if line.strip()]
        if not stacks:
            raise UsageError("name one stack per line of the body, such as: eoip ipsec")
        return tunnel_tables.compared_table(stacks, (1500, 9000), 1500)


class OverheadNumber(NumberRole):
    """`{ppslab-overhead}`: one of FORMS."""

    forms = FORMS

    def number(self, words: list[str]) -> tuple[str, str]:
        """The number, and the stack that it is calculated for."""
        match words:
            case [("largest" | "added" | "mss") as what, mtu, *layers]:
                stack = Stack(parse(tuple(layers)), int(mtu))
                number: str | int = {
                    "largest": stack.inner_mtu,
                    "added": stack.overhead(),
                    "mss": stack.segment(),
                }[what]
            case [("inside" | "bridged" | "frames") as what, mtu, packet, *layers]:
                stack, size = Stack(parse(tuple(layers)), int(mtu)), int(packet)
                sent = stack.send(size) if what == "inside" else stack.send(size, size)
                number = _sent(sent, what)
            case _:
                raise UsageError("no such number")
        link = f"over a link of MTU {stack.mtu}"
        return str(number), f"calculated: {tunnel_tables.title(stack)}, {link}"


def _sent(sent: Sent, what: str) -> str | int:
    if sent.lost:
        return sent.lost
    if what == "frames":
        return len(sent.frames)
    sizes = sent.inside if what == "inside" else [size for each in sent.outside for size in each]
    return " and ".join(map(str, sizes))
