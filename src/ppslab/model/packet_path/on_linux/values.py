"""Values as RouterOS takes them, as nft and ip write them; RefusedError where there is no way.

Every value is checked here before it gets into a command: what comes out holds no quotation mark,
no line's end and nothing else that a shell or nft would take as its own.
"""

from __future__ import annotations

from typing import Any

from rosexplain import addresses
from rosexplain.selection import is_number

_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
_HEX = "0123456789abcdefABCDEF"
_COMMENT = 120
"""Bytes of a comment that nft keeps, a little below its limit of 128."""

STATES = ("established", "related", "new", "invalid", "untracked")
PROTOCOLS = [
    ("tcp", "tcp"), ("udp", "udp"), ("icmp", "icmp"), ("icmpv6", "ipv6-icmp"), ("gre", "gre"),
    ("ipsec-esp", "esp"), ("ipsec-ah", "ah"), ("ospf", "89"), ("vrrp", "112"), ("ipip", "4"),
    ("igmp", "2"), ("sctp", "sctp"),
]  # fmt: skip
TYPED, ENDS = "\x02", "\x03"
"""Around what was typed, in a sentence on why it is refused; nothing that is quoted has them."""
FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr")


class RefusedError(Exception):
    """No translation; `args[0]` is the end of a sentence with the reason."""


def refuse(why: str) -> RefusedError:
    """The error, to be raised."""
    return RefusedError(why)


def of(name: str, check: Any, *given: Any) -> Any:
    """Run a check on a value; its refusal begins with the property's name."""
    try:
        return check(*given)
    except RefusedError as error:
        raise refuse(f"{name}: {error.args[0]}") from None


def number(text: str, least: int, most: int) -> int:
    """A whole number in decimal."""
    if not is_number(text) or len(text) > 10 or not least <= int(text) <= most:
        raise refuse(f"'{shown(text)}' is not a whole number from {least} to {most}")
    return int(text)


def shown(text: str) -> str:
    """Typed text between TYPED and ENDS, as a message may quote it (`masking.sentence`)."""
    kept = "".join([letter if " " <= letter <= "~" else "?" for letter in text[:40]])
    return TYPED + kept + ("..." if len(text) > 40 else "") + ENDS


def name(text: str) -> str:
    """A name that Linux takes as it is."""
    if not text or len(text) > 40 or not all(letter in _PLAIN for letter in text):
        raise refuse(f"'{shown(text)}' is not a name: letters, digits, '-', '_' and '.' are")
    return text


def yes_or_no(text: str) -> bool:
    """A flag."""
    if text not in ("yes", "no", "true", "false"):
        raise refuse(f"'{shown(text)}' must be yes or no")
    return text in ("yes", "true")


def one_address(text: str, six: bool) -> str:
    """An IP address of the family."""
    try:
        whole = addresses.packed(text)
    except ValueError:
        raise refuse(f"'{shown(text)}' is not an IP address") from None
    if (len(whole) == 16) != six:
        raise refuse(f"'{text}' is not an IPv{6 if six else 4} address")
    return text


def prefix(text: str, six: bool) -> str:
    """ADDRESS or ADDRESS/LENGTH; a host's length is left out, as nft does."""
    address, slash, length = text.partition("/")
    one_address(address, six)
    most = 128 if six else 32
    if not slash:
        return address
    bits = number(length, 0, most)
    return address if bits == most else f"{address}/{bits}"


def network(text: str, six: bool) -> str:
    """ADDRESS, ADDRESS/LENGTH or FROM-TO."""
    first, dash, last = text.partition("-")
    if dash:
        return one_address(first, six) + "-" + one_address(last, six)
    return prefix(text, six)


def ports(text: str) -> str:
    """80, 80,443 or 1000-2000."""
    made = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = number(first, 0, 65535)
        if dash and number(last, 0, 65535) < low:
            raise refuse(f"'{shown(part)}' ends before it begins")
        made.append(f"{low}-{int(last)}" if dash else str(low))
    return made[0] if len(made) == 1 else "{ " + ", ".join(made) + " }"


def span(text: str) -> str:
    """A number or FROM-TO, of up to 65535."""
    if "," in text:
        raise refuse(f"'{shown(text)}' is neither a number nor a range")
    return ports(text)


def states(text: str) -> str:
    """established,related."""
    for each in text.split(","):
        if each not in STATES:
            raise refuse(f"'{shown(each)}' is not a connection state: use {', '.join(STATES)}")
    return text


def protocol(text: str) -> str:
    """A protocol's name or number, as nft has it."""
    for ours, linux in PROTOCOLS:
        if text == ours:
            return linux
    if is_number(text):
        return str(number(text, 0, 255))
    names = ", ".join([each[0] for each in PROTOCOLS])
    raise refuse(f"'{shown(text)}' is not a known protocol: {names}, or a number")


def mac(text: str) -> str:
    """A hardware address, in small letters."""
    parts = text.split(":")
    if len(parts) != 6 or not all(len(p) == 2 and p[0] in _HEX and p[1] in _HEX for p in parts):
        raise refuse(f"'{shown(text)}' is not a MAC address")
    return text.lower()


def masked_mac(text: str) -> tuple[str, str]:
    """ADDRESS or ADDRESS/MASK: both; the mask is empty where it is of one address."""
    address, slash, mask = text.partition("/")
    address = mac(address)
    if not slash or mac(mask) == "ff:ff:ff:ff:ff:ff":
        return address, ""
    return address, mac(mask)


def comment(text: str) -> str:
    """Text as nft keeps it as a comment."""
    if len(text) > _COMMENT or not all(" " <= letter <= "~" and letter != '"' for letter in text):
        raise refuse(f"nft stores up to {_COMMENT} ASCII characters, without quotation marks")
    if text[-1:] == "\\":
        raise refuse("nft does not accept a backslash at the end of a comment")
    return text


def flags(text: str) -> str:
    """Flags of TCP, syn,!ack, as nft writes them."""
    mask, there = [], []
    for each in text.split(","):
        bare = each[1:] if each[:1] == "!" else each
        if bare not in FLAGS:
            raise refuse(f"'{shown(each)}' is not a TCP flag: use {', '.join(FLAGS)}")
        mask.append(bare)
        if bare == each:
            there.append(bare)
    return f"tcp flags & ({' | '.join(mask)}) == {' | '.join(there) if there else '0'}"
