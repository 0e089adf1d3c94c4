"""IP addresses as text and as bytes, in what MicroPython has: it knows no ipaddress, no socket."""

from __future__ import annotations

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
    if not 1 <= len(part) <= 3 or (len(part) > 1 and part[0] == "0"):
        return False
    return all(digit in _DIGITS for digit in part) and int(part) <= 255


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
        elif 1 <= len(word) <= 4 and all(digit in _HEX for digit in word):
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
