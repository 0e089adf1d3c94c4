"""Routes from a text file: what `ip route` prints or takes, what RouterOS prints or exports.

One route a line.  Behind the prefix of a line, ` xN` stands for N prefixes of that length in a
row, so that a table of thousands is a line:

    198.19.0.0/30 x12288 via 198.18.2.2
    198.19.0.0/16 nexthop via 198.18.2.2 nexthop via 198.18.2.3
    blackhole 198.19.64.0/18
    /ip/route add dst-address=198.19.0.0/16 gateway=198.18.2.2,198.18.2.3
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, cast

from ppslab.core.errors import FileError
from ppslab.model.packet_path import export_files as export
from ppslab.model.switch_chip import route_files, route_lines

Kind = Literal["forward", "blackhole", "cpu"]


class Prefix(NamedTuple):
    """An IP prefix: `family` 4 or 6, `address` as a number, `length` in bits."""

    family: int
    address: int
    length: int

    def __str__(self) -> str:
        return route_lines.prefix_text(*self)

    @property
    def packed(self) -> bytes:
        """The address in network byte order, 4 or 16 bytes."""
        return self.address.to_bytes(route_lines.BITS[self.family] // 8, "big")

    def holds(self, other: Prefix) -> bool:
        """Whether all addresses of `other` are addresses of this one."""
        if self.family != other.family or other.length < self.length:
            return False
        shift = route_lines.BITS[self.family] - self.length
        return self.address >> shift == other.address >> shift


def prefix(text: str) -> Prefix:
    """A prefix or an address, as `ip route` writes it; ValueError where it is none."""
    return Prefix(*route_lines.prefix(text))


@dataclass(frozen=True)
class Route:
    """A prefix and what a router does with it.

    kind forward: to one of `hops` (gateways, or an interface's name); blackhole: dropped in
    silence; cpu: whatever a chip cannot do by itself, such as an answer with ICMP.
    """

    prefix: Prefix
    kind: Kind
    hops: tuple[str, ...] = ()


def read(path: Path) -> list[Route]:
    """The routes of a file; FileError with the line where one cannot be read.

    Of a whole export the routes of /ip/route and /ipv6/route; none that is off.
    """
    text = route_files.text_of(path)
    if export.is_export(text):
        return _exported(path)
    found: list[Route] = []
    for number, line in enumerate(route_files.lines_of(path, text), start=1):
        try:
            found += _line(line, route_files.MOST - len(found))
        except ValueError as error:
            raise FileError(path, number, str(error)) from None
    if not found:
        raise FileError(path, None, "no route in it: write one per line, as `ip route` prints them")
    return found


def _exported(path: Path) -> list[Route]:
    found: list[Route] = []
    for line in export.read(path):
        everything = {"/ip/route": "0.0.0.0/0", "/ipv6/route": "::/0"}.get(line.menu)
        if everything is None or line.command != "add":
            continue
        words = {"dst-address": everything, **line.properties}
        said = [f"{name}={value}" for name, value in words.items() if name != "comment"]
        try:
            found += _line(" ".join(["add", line.find, *said]), route_files.MOST - len(found))
        except ValueError as error:
            raise FileError(path, line.number, str(error)) from None
    if not found:
        raise FileError(
            path,
            None,
            "this is an export, and no route that is on stands in it: /export leaves out what "
            "routing protocols learn. On the router: /ip/route/print file=routes",
        )
    return found


def _line(line: str, most: int) -> list[Route]:
    run = route_lines.run_of(line, most)
    if run is None:
        return []
    return [Route(Prefix(*prefix), cast(Kind, run.kind), run.hops) for prefix in run.prefixes()]
