"""Routes from a text file: what `ip route` prints or takes, what RouterOS prints or exports.

One route a line.  Behind the prefix of a line, ` xN` stands for N prefixes of that length in a
row, so that a table of thousands is a line:

    198.19.0.0/30 x12288 via 198.18.2.2
    198.19.0.0/16 nexthop via 198.18.2.2 nexthop via 198.18.2.3
    blackhole 198.19.64.0/18
    /ip/route add dst-address=198.19.0.0/16 gateway=198.18.2.2,198.18.2.3
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, cast

from ppslab.core import documents
from ppslab.core.documents import disk
from ppslab.core.errors import FileError
from ppslab.model.switch_chip import route_table
from rosexplain.parse import parsed

Kind = Literal["forward", "blackhole", "cpu"]

MOST = 500_000
"""Thirty times the table of the largest chip; eight times as many fill a gigabyte of memory."""

MOST_LINES = 100_000
"""Of a file: two chips' tables; a line takes tens of microseconds."""


_HEADER = re.compile(r"#[^\n]*\bby RouterOS \d")
_OTHER_MENU = re.compile(r"^/(?!(?:ip|ipv6)[/ ]+route\b)[a-z]", re.MULTILINE)


class Prefix(NamedTuple):
    """An IP prefix: `family` 4 or 6, `address` as a number, `length` in bits."""

    family: int
    address: int
    length: int

    def __str__(self) -> str:
        return route_table.prefix_text(*self)

    @property
    def packed(self) -> bytes:
        """The address in network byte order, 4 or 16 bytes."""
        return self.address.to_bytes(route_table.BITS[self.family] // 8, "big")

    def holds(self, other: Prefix) -> bool:
        """True if all addresses of `other` are addresses of this one."""
        if self.family != other.family or other.length < self.length:
            return False
        shift = route_table.BITS[self.family] - self.length
        return self.address >> shift == other.address >> shift


def prefix(text: str) -> Prefix:
    """A prefix or an address, as `ip route` writes it; ValueError where it is none."""
    return Prefix(*route_table.prefix(text))


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
    text = text_of(path)
    if is_export(text):
        return _exported(path, text)
    found: list[Route] = []
    for number, line in enumerate(lines_of(path, text), start=1):
        try:
            found += _line(line, MOST - len(found))
        except ValueError as error:
            raise FileError(path, number, str(error)) from None
    if not found:
        raise FileError(path, None, "no route found: write one per line, as `ip route` prints them")
    return found


def is_export(text: str) -> bool:
    """True for the output of `/export`, of more than routes."""
    return bool(_HEADER.match(text) or _OTHER_MENU.search(text))


def _exported(path: Path, text: str) -> list[Route]:
    found: list[Route] = []
    for line in parsed(text, str(path)).commands:
        everything = {"/ip/route": "0.0.0.0/0", "/ipv6/route": "::/0"}.get(line.menu)
        if everything is None or line.command != "add":
            continue
        words = {"dst-address": everything, **line.properties}
        said = [f"{name}={value}" for name, value in words.items() if name != "comment"]
        try:
            found += _line(" ".join(["add", line.find, *said]), MOST - len(found))
        except ValueError as error:
            raise FileError(path, line.number, str(error)) from None
    if not found:
        raise FileError(
            path,
            None,
            "this export contains no active route: /export leaves out routes from "
            "routing protocols. On the router, type /ip/route/print file=routes",
        )
    return found


def _line(line: str, most: int) -> list[Route]:
    run = route_table.run_of(line, most)
    if run is None:
        return []
    return [Route(Prefix(*prefix), cast(Kind, run.kind), run.hops) for prefix in run.prefixes()]


def commands(path: Path, protocol: int) -> Iterator[str]:
    """The file's lines as `ip -batch` takes them, each prefix on its own, marked with `protocol`.

    FileError with the line where one cannot be read.
    """
    for number, line in enumerate(lines_of(path, text_of(path)), start=1):
        try:
            run = route_table.run_of(line, MOST)
        except ValueError as error:
            raise FileError(path, number, str(error)) from None
        if run is None:
            continue
        words = line.partition("#")[0].split()
        place = route_table.place_of(words) or 0
        before = words[:place]
        after = [word for word in words[place + 1 :] if not route_table.times(word)]
        for each in run.prefixes():
            shown = route_table.prefix_text(*each)
            yield " ".join(["route add", *before, shown, "proto", str(protocol), *after])


def text_of(path: Path) -> str:
    """Text of the file; FileError where it cannot be read or is too large."""
    return documents.read_text(path, disk.ROUTES)


def lines_of(path: Path, text: str) -> list[str]:
    """The lines of the file's text; FileError where there are too many."""
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise FileError(
            path,
            MOST_LINES + 1,
            f"more than {MOST_LINES} lines; write consecutive routes in one: 198.19.0.0/30 x8192",
        )
    return lines
