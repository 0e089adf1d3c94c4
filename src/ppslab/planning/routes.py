"""Routes from a text file: what `ip route` prints or takes, what RouterOS prints or exports.

One route a line.  Behind the prefix of a line, ` xN` stands for N prefixes of that length in a
row, so that a table of thousands is a line:

    198.19.0.0/30 x12288 via 198.18.2.2
    198.19.0.0/16 nexthop via 198.18.2.2 nexthop via 198.18.2.3
    blackhole 198.19.64.0/18
    /ip/route add dst-address=198.19.0.0/16 gateway=198.18.2.2,198.18.2.3
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from ppslab import documents
from ppslab.errors import FileError

Kind = Literal["forward", "blackhole", "cpu"]

MOST = 4_000_000
"""More routes than the Internet has; fewer than would fill this machine's memory."""

_BITS = {4: 32, 6: 128}
_DEFAULT = re.compile(r"^(?:default|dst-address=default)$")
_PREFIX = re.compile(r"^(?:dst-address=)?\"?([0-9a-fA-F.:]+)(?:/([0-9]{1,3}))?\"?$")
_TIMES = re.compile(r"^x([1-9][0-9]*)$")
_NEITHER = ("unreachable", "prohibit", "throw")


class Prefix(NamedTuple):
    """An IP prefix: `family` 4 or 6, `address` as a number, `length` in bits."""

    family: int
    address: int
    length: int

    def __str__(self) -> str:
        return f"{plain(self.family, self.address)}/{self.length}"

    @property
    def packed(self) -> bytes:
        """The address in network byte order, 4 or 16 bytes."""
        return self.address.to_bytes(_BITS[self.family] // 8, "big")

    def holds(self, other: Prefix) -> bool:
        """Whether all addresses of `other` are addresses of this one."""
        if self.family != other.family or other.length < self.length:
            return False
        shift = _BITS[self.family] - self.length
        return self.address >> shift == other.address >> shift


def plain(family: int, address: int) -> str:
    """An address as it is written."""
    kind = socket.AF_INET if family == 4 else socket.AF_INET6
    return socket.inet_ntop(kind, address.to_bytes(_BITS[family] // 8, "big"))


def prefix(text: str) -> Prefix:
    """A prefix or an address, as `ip route` writes it; ValueError where it is none."""
    address, _, length = text.partition("/")
    family = 6 if ":" in address else 4
    kind = socket.AF_INET if family == 4 else socket.AF_INET6
    try:
        number = int.from_bytes(socket.inet_pton(kind, address), "big")
    except OSError:
        raise ValueError(f"{text!r} is no prefix") from None
    bits = int(length) if length else _BITS[family]
    if bits > _BITS[family]:
        raise ValueError(f"{text!r}: an IPv{family} prefix has at most {_BITS[family]} bits")
    rest = (1 << (_BITS[family] - bits)) - 1
    if number & rest:
        right = f"{plain(family, number & ~rest)}/{bits}"
        raise ValueError(f"{text!r} has bits behind its length: {right} is meant?")
    return Prefix(family, number, bits)


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
    """The routes of a file; FileError with the line where one cannot be read."""
    found: list[Route] = []
    for number, line in enumerate(documents.read_text(path).splitlines(), start=1):
        try:
            found += _line(line, MOST - len(found))
        except ValueError as error:
            raise FileError(path, number, str(error)) from None
    if not found:
        raise FileError(path, None, "no route in it: one a line, as `ip route` prints them")
    return found


def commands(path: Path, protocol: int) -> Iterator[str]:
    """The file's lines as `ip -batch` takes them, each prefix on its own, marked with `protocol`.

    FileError with the line where one cannot be read.
    """
    for number, line in enumerate(documents.read_text(path).splitlines(), start=1):
        text = line.partition("#")[0].split()
        try:
            routes = _line(line, MOST)
        except ValueError as error:
            raise FileError(path, number, str(error)) from None
        place = next((i for i, word in enumerate(text) if _prefix_of(word)), 0)
        before = text[:place]
        after = [word for word in text[place + 1 :] if not _TIMES.match(word)]
        for route in routes:
            words = (*before, str(route.prefix), "proto", str(protocol), *after)
            yield f"route add {' '.join(words)}"


def _line(line: str, most: int) -> list[Route]:
    words = line.partition("#")[0].split()
    if not words or words[0].startswith(("Flags", "Columns", "DST-ADDRESS")):
        return []
    start: Prefix | None = None
    times = 1
    for index, word in enumerate(words):
        found = _prefix_of(word)
        if found is None:
            continue
        start = prefix(found)
        if len(words) > index + 1 and (match := _TIMES.match(words[index + 1])):
            times = int(match[1])
        break
    if start is None:
        if words[0].startswith("/"):
            return []  # a menu of an export
        raise ValueError(f"no prefix in {line.strip()!r}")
    kind, hops = _way(words)
    if "default" in words and any(":" in hop for hop in hops):
        start = Prefix(6, 0, 0)
    step = 1 << (_BITS[start.family] - start.length)
    if times > most or start.address + times * step > 1 << _BITS[start.family]:
        raise ValueError(f"{start} x{times}: there are not so many")
    return [
        Route(Prefix(start.family, start.address + i * step, start.length), kind, hops)
        for i in range(times)
    ]


def _prefix_of(word: str) -> str | None:
    """The prefix in a word of a line, the first of which is the destination."""
    if _DEFAULT.match(word):
        return "0.0.0.0/0"
    match = _PREFIX.match(word)
    if not match or not ("." in word or ":" in word):
        return None
    return f"{match[1]}/{match[2]}" if match[2] else match[1]


def _way(words: list[str]) -> tuple[Kind, tuple[str, ...]]:
    if words[0] == "blackhole" or "blackhole" in words or "blackhole=yes" in words:
        return "blackhole", ()
    if words[0] in _NEITHER or "suppress-hw-offload=yes" in words:
        return "cpu", ()
    hops = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "via"]
    for word in words:
        if word.startswith("gateway="):
            hops += [hop for hop in word.removeprefix("gateway=").strip('"').split(",") if hop]
    if not hops and "dev" in words[:-1]:
        hops = [words[words.index("dev") + 1]]
    if not hops:
        hops = _printed_gateway(words)
    return "forward", tuple(hops)


def _printed_gateway(words: list[str]) -> list[str]:
    """The column behind the destination in RouterOS's print: an address or an interface."""
    place = next((i for i, word in enumerate(words) if _prefix_of(word)), len(words))
    behind = words[place + 1 : place + 2]
    if behind and not _TIMES.match(behind[0]):
        try:
            ipaddress.ip_address(behind[0].partition("%")[0])
        except ValueError:
            return []
        return behind
    return []
