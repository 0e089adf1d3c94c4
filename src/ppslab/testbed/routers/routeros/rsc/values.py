"""RouterOS's values: what a script calculates, and which ways to write one mean the same.

RouterOS prints a value in its own form, whatever way it was written: `yes` comes back over REST
as "true", a MAC address in capitals, 60 seconds as "1m".  A read-back compares what is meant.

Sources of the forms, by the number in the table below:
1. MikroTik's manual, REST API: values are strings, and booleans are "true" and "false".
2. MikroTik's manual, scripting language: the data type time (`1h2m3s`, `00:00:01`, a number of
   seconds), numbers in hexadecimal.
3. Recorded bodies of CHR 7.19 in the comments of terraform-provider-routeros: "30s", "0x1818",
   MAC addresses in capitals, "" for a flag that is set.
4. MikroTik's manual, queues: k, M and G are thousands of bits per second.  [INF] that REST prints
   the number in full.
5. [INF] RouterOS prints a list of states or of ports in an order of its own.
"""

from __future__ import annotations

import ipaddress
import operator
import re
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Value = int | str | Address

SECRETS = frozenset(
    "password secret ipsec-secret passphrase pre-shared-key private-key preshared-key auth-key "
    "authentication-key authentication-password encryption-password wpa-pre-shared-key "
    "wpa2-pre-shared-key mschapv2-password shared-secret".split()
)
"""Properties that no file of ours and no message shows."""

HIDDEN = "(hidden)"

_NOTHING = frozenset(["", "false", "none", "disabled", "unset"])
"""Values of a property that RouterOS leaves out of an answer."""

_MEASURES = {
    "w": 604800.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6,
}  # fmt: skip

_PRODUCTS = {"*": operator.mul, "/": operator.floordiv, "%": operator.mod}


@lru_cache(maxsize=4096)
def literal(word: str) -> Value:
    """Return a bare word as the script takes it: a number, an address, or itself."""
    if re.fullmatch(r"\d+", word):
        return int(word)
    try:
        return ipaddress.IPv4Address(word)
    except ValueError:
        return word


def calculate(op: str, left: Value, right: Value) -> Value:
    """Two values and an operator; ValueError for what RouterOS's language does not know either."""
    if op == ".":
        return str(left) + str(right)
    if op == "+" and isinstance(right, int) and not isinstance(left, str):
        return left + right
    if op in _PRODUCTS and isinstance(right, int) and isinstance(left, int):
        return int(_PRODUCTS[op](left, right))
    raise ValueError(f"{left} {op} {right} is not calculated here")


def same(wanted: str, found: str | None) -> bool:
    """True if a property that was set to `wanted` and now says `found` is as it was set.

    None: RouterOS leaves the property out, as it does where it says nothing.
    """
    if found is None:
        return wanted != "" and plain(wanted) in _NOTHING
    if wanted == "" and found in ("", "true", "yes"):
        return True  # a flag, such as blackhole: "" or "true" (3)
    if wanted == found:
        return True
    one, other = plain(wanted), plain(found)
    # A time may be written as its seconds (2).
    return other in (one, f"{one} s")


def plain(value: str) -> str:
    """The one form of all ways to write a value; a list is sorted (5)."""
    if "," in value:
        return ",".join(sorted(plain(item) for item in value.split(",")))
    for form in (_boolean, _time, _number, _network, _mac, _rates):
        found = form(value)
        if found is not None:
            return found
    return value


def shown(key: str, value: str) -> str:
    """A property's value for a record or a message: never a secret."""
    return HIDDEN if key in SECRETS and value else value


def _boolean(value: str) -> str | None:
    return {"yes": "true", "no": "false", "true": "true", "false": "false"}.get(value)  # (1)


def _time(value: str) -> str | None:
    clock = re.fullmatch(r"(?:(\d+)d)?(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)", value)  # (2)
    if clock:
        days, hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        return f"{((days * 24 + hours) * 60 + minutes) * 60 + seconds:g} s"
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|us|w|d|h|m|s)", value)
    if parts and "".join(number + unit for number, unit in parts) == value:
        return f"{sum(float(number) * _MEASURES[unit] for number, unit in parts):.9g} s"
    return None


def _number(value: str) -> str | None:
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", value):
        return str(int(value, 16))
    return str(int(value)) if re.fullmatch(r"-?\d+", value) else None


def _network(value: str) -> str | None:
    """An address or a prefix; a prefix of one address is that address."""
    if not re.fullmatch(r"[0-9a-fA-F.:]+(?:/\d+)?", value) or not re.search(r"\.|:.*:", value):
        return None
    try:
        found = ipaddress.ip_interface(value)
    except ValueError:
        return None
    whole = found.network.prefixlen == found.ip.max_prefixlen
    return str(found.ip) if whole else str(found)


def _mac(value: str) -> str | None:
    pair = "[0-9a-fA-F]{2}"
    mac = f"{pair}(?::{pair}){{5}}"
    return value.upper() if re.fullmatch(f"{mac}(?:/{mac})?", value) else None


def _rates(value: str) -> str | None:
    """`10G/10G`: a rate each way (4)."""
    if "/" not in value:
        return _rate(value)
    each = [_rate(part) or _number(part) for part in value.split("/")]
    return "/".join(str(rate) for rate in each) if len(each) == 2 and all(each) else None


def _rate(value: str) -> str | None:
    found = re.fullmatch(r"(\d+)([kKMG])", value)
    if not found:
        return None
    return str(int(found[1]) * {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}[found[2]])
