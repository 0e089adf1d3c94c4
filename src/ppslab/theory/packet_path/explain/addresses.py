"""Addresses and networks of IPv4 and IPv6 as numbers, for the matchers of a firewall."""

from __future__ import annotations

from typing import Any

from ppslab.theory.addresses import packed

PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16",
           "100.64.0.0/10", "224.0.0.0/4", "0.0.0.0/8")  # fmt: skip
PRIVATE_IPV6 = ("fc00::/7", "fe80::/10", "ff00::/8", "::/127")

BITS = {4: 32, 6: 128}

Range = Any  # tuple[int, int], first and last: MicroPython knows no `tuple[...]` as a value


def family_of(text: str) -> int:
    """6 where an address has a colon, else 4."""
    return 6 if ":" in text else 4


def number(text: str) -> int:
    """An address as a number; ValueError where it is none."""
    return int.from_bytes(packed(text), "big")


_SPANS: dict[str, Range] = {}
MOST_KEPT = 10_000
"""Spans that are kept: each class of packets asks the same rules, in both directions."""


def span(text: str) -> Range:
    """`192.168.88.0/24`, `2001:2::1` or `10.0.0.1-10.0.0.9` as first and last; ValueError else."""
    if text not in _SPANS:
        if len(_SPANS) >= MOST_KEPT:
            _SPANS.clear()
        _SPANS[text] = _span(text)
    return _SPANS[text]


def _span(text: str) -> Range:
    first, dash, last = text.partition("-")
    if dash:
        return number(first), number(last)
    address, slash, length = text.partition("/")
    if not slash:
        return number(address), number(address)
    bits = BITS[family_of(address)]
    if not length.isdigit() or len(length) > 3 or int(length) > bits:
        raise ValueError("'" + text + "' is no network")
    size = 1 << (bits - int(length))
    begin = number(address) // size * size
    return begin, begin + size - 1


def within(inner: Range, outer: Range) -> bool:
    """Whether all of one is in the other."""
    return bool(outer[0] <= inner[0] and inner[1] <= outer[1])


def apart(one: Range, other: Range) -> bool:
    """Whether they have nothing in common."""
    return bool(one[1] < other[0] or other[1] < one[0])


_INSIDE = {4: [span(each) for each in PRIVATE], 6: [span(each) for each in PRIVATE_IPV6]}


def private(one: Range, family: int) -> bool:
    """Whether no address of it is in use on the internet."""
    return any(within(one, each) for each in _INSIDE[family])
