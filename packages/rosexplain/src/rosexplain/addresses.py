"""IP addresses as text, bytes and ranges, in what MicroPython has: no ipaddress, no socket."""

from __future__ import annotations

from typing import TypeAlias

from rosexplain.selection import is_number

_DIGITS = "0123456789"
_HEX = "0123456789abcdefABCDEF"


def packed(text: str) -> bytes:
    """The 4 or 16 bytes of an address in network order; ValueError where it is none.

    >>> packed("198.18.1.2").hex(), packed("2001:2::1").hex()
    ('c6120102', '20010002000000000000000000000001')
    """
    return _ipv6(text) if ":" in text else _ipv4(text, text)


def _ipv4(text: str, whole: str) -> bytes:
    parts = text.split(".")
    if len(parts) != 4 or not all(_decimal(part) for part in parts):
        raise ValueError(f"'{whole}' is not an IP address")
    return bytes([int(part) for part in parts])


def _decimal(part: str) -> bool:
    # A leading zero would be octal to some: no address is written with one.
    if not 1 <= len(part) <= 3 or (len(part) > 1 and part.startswith("0")):
        return False
    return not part.strip(_DIGITS) and int(part) <= 255


def _ipv6(text: str) -> bytes:
    wrong = ValueError(f"'{text}' is not an IP address")
    front, gap, back = text.partition("::")
    if gap and "::" in back:
        raise wrong
    data = [_groups(front, text, not gap), _groups(back, text, True)]
    missing = 16 - len(data[0]) - len(data[1])
    if missing < 2 if gap else missing != 0:
        raise wrong
    return data[0] + bytes(missing) + data[1]


def _groups(text: str, whole: str, ends: bool) -> bytes:
    """Words of 16 bits; where they end the address, the last two may be written as IPv4."""
    words = text.split(":") if text else []
    data = b""
    for index, word in enumerate(words):
        if "." in word and ends and index == len(words) - 1:
            data += _ipv4(word, whole)
        elif 1 <= len(word) <= 4 and not word.strip(_HEX):
            data += int(word, 16).to_bytes(2, "big")
        else:
            raise ValueError(f"'{whole}' is not an IP address")
    return data


def plain(address: bytes) -> str:
    """An address as it is written (RFC 5952 of IPv6: the longest run of zeros left out).

    >>> plain(bytes(15) + bytes([1])), plain(bytes([198, 18, 0, 1]))
    ('::1', '198.18.0.1')
    """
    if len(address) == 4:
        return ".".join([str(byte) for byte in address])
    words = [address[i] << 8 | address[i + 1] for i in range(0, 16, 2)]
    best, length = 0, 0
    for start in range(8):
        end = start
        while end < 8 and words[end] == 0:
            end += 1
        if end - start > length:
            best, length = start, end - start
    text = [f"{word:x}" for word in words]
    if length < 2:
        return ":".join(text)
    return ":".join(text[:best]) + "::" + ":".join(text[best + length :])


BITS = {4: 32, 6: 128}

Range: TypeAlias = tuple[int, int]  # first and last


def family_of(text: str) -> int:
    """6 where an address has a colon, else 4."""
    return 6 if ":" in text else 4


def as_number(text: str) -> int:
    """An address as a number; ValueError where it is none."""
    return int.from_bytes(packed(text), "big")


_SPANS: dict[str, Range] = {}

MOST_KEPT = 50_000
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
        return as_number(first), as_number(last)
    address, slash, length = text.partition("/")
    if not slash:
        number = as_number(address)
        return number, number
    bits = BITS[family_of(address)]
    if not is_number(length) or len(length) > 3 or int(length) > bits:
        raise ValueError("'" + text + "' is not a network")
    size = 1 << (bits - int(length))
    begin = as_number(address) // size * size
    return begin, begin + size - 1


def within(inner: Range, outer: Range) -> bool:
    """Return True if all of one is in the other."""
    return bool(outer[0] <= inner[0] and inner[1] <= outer[1])


def apart(one: Range, other: Range) -> bool:
    """Return True if they have nothing in common."""
    return bool(one[1] < other[0] or other[1] < one[0])


def united(ranges: list[Range]) -> list[Range]:
    """Return the same addresses in as few ranges as possible, in their order.

    >>> united([(5, 9), (1, 2), (3, 6)])
    [(1, 9)]
    """
    whole: list[Range] = []
    for first, last in sorted(ranges):
        if whole and first <= whole[-1][1] + 1:
            whole[-1] = (whole[-1][0], max(last, whole[-1][1]))
        else:
            whole.append((first, last))
    return whole


def touches(one: Range, whole: list[Range]) -> bool:
    """Return True if ranges, as `united` has them, and one have an address in common.

    By halves, as thousands of queues ask it of thousands of networks.
    """
    low, high = 0, len(whole)
    while low < high:
        middle = (low + high) // 2
        if whole[middle][1] < one[0]:
            low = middle + 1
        else:
            high = middle
    return low < len(whole) and whole[low][0] <= one[1]


PRIVATE = {
    4: ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16",
        "100.64.0.0/10", "224.0.0.0/4", "0.0.0.0/8"),
    6: ("fc00::/7", "fe80::/10", "ff00::/8", "::/127"),
}  # fmt: skip
_INSIDE = {family: [span(text) for text in PRIVATE[family]] for family in PRIVATE}


def private(one: Range, family: int) -> bool:
    """Return True if no address of it is in use on the internet."""
    first, last = one  # not by `within`, as it is asked of each address of a long list
    return any(inside[0] <= first and last <= inside[1] for inside in _INSIDE[family])


def range_of(text: str) -> Range | None:
    """First and last address of an IPv4 network or range; None: it is none."""
    return bounds_of(text) if ":" not in text else None


def bounds_of(text: str) -> Range | None:
    """First and last address of a network or range of either family; None: it is none."""
    try:
        return span(text) if text else None
    except ValueError:
        return None
