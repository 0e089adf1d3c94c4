"""One rule of RouterOS's firewall as nft says it; RefusedError where it has no translation.

Every value is checked before it gets into a command: what comes out holds no quotation mark, no
line's end and nothing else that a shell or nft would take as its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from ppslab.model.packet_path.on_linux import table
from rosexplain import menu_words, secrets
from rosexplain.addresses import packed

Value = TypeVar("Value")

_NUMBER = re.compile(r"[0-9]{1,10}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
_MAC = re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}")
_WITH_PORTS = ("tcp", "udp", "sctp")


class RefusedError(Exception):
    """No translation; `args[0]` is the reason, in which nothing is that may be a secret."""


def kind_of(menu: str) -> str:
    """filter, nat, mangle or raw."""
    return menu.rpartition("/")[2]


def rule(
    menu: str, given: Mapping[str, str], devices: Mapping[str, str], marks: list[str]
) -> tuple[str, str]:
    """The chain of a rule, and what nft says for it.

    `given`: its properties; `devices`: the Linux device of each interface; `marks`: the names of
    marks so far, to which its own are added.  A RefusedError begins with the property.
    """
    family, kind = table.FIREWALLS[menu], kind_of(menu)
    values = Values(six=family == "ip6", devices=devices, marks=marks, rule=given)
    if "chain" not in given:
        raise RefusedError("chain is missing")
    chain = checked(menu, "chain", given["chain"], values.name)
    if chain in table.OWN_CHAINS and chain not in [name for name, *_ in table.CHAINS[kind]]:
        raise RefusedError(f"chain={chain}: no translation in this list")
    action = given.get("action", "accept")
    known = [(own, says) for name, lists, own, says in table.ACTIONS
             if name == action and kind in lists]  # fmt: skip
    if not known:
        raise RefusedError(f"{shown(menu, 'action', action)}: no translation to nftables")
    if family == "bridge" and action not in table.BRIDGE_ACTIONS:
        raise RefusedError(f"action={action}: no translation for bridged frames")
    ((own, says),) = known
    for name in given:
        if name not in (*matchers(family, kind), *own, *table.RULES_OWN):
            raise RefusedError(no_translation(name))
    words = []
    if action == "fasttrack-connection":
        if given.get("protocol", "tcp") not in ("tcp", "udp"):
            raise RefusedError("protocol: only TCP and UDP are fast-tracked")
        words += [] if "protocol" in given else [table.FASTTRACK_MATCH]
    for name, of, template in table.MATCHERS:
        if name in given:
            matched = checked(menu, name, given[name], partial(values.matched, of))
            if reason := _misplaced(name, chain, given.get("protocol", "")):
                raise RefusedError(f"{name}: {reason}")
            words.append(template.format(ip=values.ip, **matched))
    for name, (of, around) in own.items():
        if name in given:
            value = checked(menu, name, given[name], getattr(values, of))
            says = says.replace("{" + name + "}", around.format(value) if value else "")
        elif name not in table.OPTIONAL:
            raise RefusedError(f"action={action}: needs {name}")
        else:
            says = says.replace("{" + name + "}", "")
    only = table.ONLY_IN.get(action, chain)
    if chain != only and (chain in table.OWN_CHAINS or only == "forward"):
        raise RefusedError(f"action={action}: only in the chain {only}")
    return chain, " ".join([*words, "counter", says.replace("{ip}", values.ip)]).rstrip()


def matchers(family: str, kind: str) -> list[str]:
    """Matchers that a rule of a list may have."""
    every = [name for name, *_ in table.MATCHERS]
    if family == "bridge":
        return [name for name in every if name in table.BRIDGE_MATCHERS]
    return [name for name in every if name not in table.LACKS[kind]]


def no_translation(name: str) -> str:
    """The reason why a property is refused."""
    why = table.WHY.get(name, "")
    known = name if why or menu_words.is_word(name) else secrets.STRUCK
    return f"{known}: no translation to nftables" + (why and f", as {why}")


def shown(menu: str, name: str, value: str) -> str:
    """A property as a sentence may quote it: with its value where `explain` shows that."""
    return f"{name}={value[:40]}" if secrets.shows(menu, name, value) else name


def checked(menu: str, name: str, value: str, check: Callable[[str], Value]) -> Value:
    """Run a check on a property's value; its refusal begins with the property."""
    try:
        return check(value)
    except RefusedError as error:
        raise RefusedError(f"{shown(menu, name, value)}: {error.args[0]}") from None


def _misplaced(name: str, chain: str, protocol: str) -> str:
    """Why a matcher matches nothing in a rule of this chain and protocol; empty where it may."""
    if name == "in-interface" and chain in table.NO_WAY_IN:
        return f"a packet in the chain {chain} has none"
    if name == "out-interface" and chain in table.NO_WAY_OUT:
        return f"a packet in the chain {chain} has none yet"
    if name in ("src-port", "dst-port") and protocol not in _WITH_PORTS:
        return "needs protocol=tcp or protocol=udp"
    if name == "icmp-options" and protocol not in ("", "icmp", "icmpv6"):
        return "needs protocol=icmp"
    return "needs protocol=tcp" if name == "tcp-flags" and protocol != "tcp" else ""


class Values:
    """Values as RouterOS takes them, as nft writes them; a method for each kind of `table`.

    `six`: of IPv6; `devices`, `marks` as for `rule`; `rule`: the properties beside the value.
    """

    def __init__(
        self, *, six: bool, devices: Mapping[str, str], marks: list[str], rule: Mapping[str, str]
    ) -> None:
        self._six, self._devices, self._marks = six, devices, marks
        self._protocol = rule.get("protocol", "")
        self.ip = "ip6" if six else "ip"

    def matched(self, of: str, text: str) -> dict[str, str]:
        """What a matcher's template takes: `not` and `value`."""
        negated = text[:1] == "!" and of != "flags"
        if negated and of in table.NEVER_NOT:
            raise RefusedError("no translation of '!' in front of this value")
        value = getattr(self, of)(text[1:] if negated else text)
        if of == "mac" and "/" in value:
            address, _, mask = value.partition("/")
            return {"not": f"& {mask} {'!=' if negated else '=='} ", "value": address}
        return {"not": "!= " if negated else "", "value": value}

    def name(self, text: str) -> str:
        """A name that Linux takes as it is."""
        if not _NAME.fullmatch(text):
            raise RefusedError("not a name: letters, digits, '-', '_' and '.' are")
        return text

    def own_chain(self, text: str) -> str:
        """A chain that is none of RouterOS's own."""
        if text in table.OWN_CHAINS:
            raise RefusedError("one of RouterOS's own chains")
        return self.name(text)

    def number(self, text: str, least: int, most: int) -> str:
        """A whole number in decimal."""
        if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise RefusedError(f"not a whole number from {least} to {most}")
        return str(int(text))

    def dscp(self, text: str) -> str:
        return self.number(text, 0, 63)

    def percent(self, text: str) -> str:
        return self.number(text, 1, 99)

    def mss(self, text: str) -> str:
        return "rt mtu" if text == "clamp-to-pmtu" else self.number(text, 88, 65535)

    def mark(self, text: str) -> str:
        """RouterOS's marks have names, Linux's are numbers: the first one is 1."""
        if self.name(text) == "no-mark":
            return "0"
        if text not in self._marks:
            self._marks.append(text)
        return str(self._marks.index(text) + 1)

    def address(self, text: str) -> str:
        """An IP address of the family."""
        try:
            whole = packed(text)
        except ValueError:
            raise RefusedError("not an IP address") from None
        if (len(whole) == 16) != self._six:
            raise RefusedError(f"not an IPv{6 if self._six else 4} address")
        return text

    def network(self, text: str) -> str:
        """ADDRESS, ADDRESS/LENGTH or FROM-TO; a host's length is left out, as nft does."""
        first, dash, last = text.partition("-")
        if dash:
            return f"{self.address(first)}-{self.address(last)}"
        address, slash, length = text.partition("/")
        most = 128 if self._six else 32
        bits = self.number(length, 0, most) if slash else str(most)
        return self.address(address) + ("" if bits == str(most) else f"/{bits}")

    def interface(self, text: str) -> str:
        """The device of an interface."""
        if text not in self._devices:
            raise RefusedError(f"no such interface here: there are {', '.join(self._devices)}")
        return self._devices[text]

    def ports(self, text: str) -> str:
        """80, 80,443 or 1000-2000."""
        made = []
        for part in text.split(","):
            first, dash, last = part.partition("-")
            ends = [self.number(end, 0, 65535) for end in ([first, last] if dash else [first])]
            if int(ends[-1]) < int(ends[0]):
                raise RefusedError("ends before it begins")
            made.append("-".join(ends))
        return made[0] if len(made) == 1 else "{ " + ", ".join(made) + " }"

    def span(self, text: str) -> str:
        """A number or FROM-TO, of up to 65535."""
        if "," in text:
            raise RefusedError("neither a number nor a range")
        return self.ports(text)

    def nat_ports(self, text: str) -> str:
        """The ports of a translation."""
        if self._protocol not in ("tcp", "udp"):
            raise RefusedError("needs protocol=tcp or protocol=udp")
        return self.span(text)

    def states(self, text: str) -> str:
        """established,related."""
        if not {*text.split(",")} <= {*table.STATES}:
            raise RefusedError(f"not a connection state: use {', '.join(table.STATES)}")
        return text

    def protocol(self, text: str) -> str:
        """A protocol's name or number, as nft has it."""
        if text in table.PROTOCOLS:
            return table.PROTOCOLS[text]
        if not _NUMBER.fullmatch(text):
            known = ", ".join(table.PROTOCOLS)
            raise RefusedError(f"not a known protocol: {known}, or a number")
        return self.number(text, 0, 255)

    def icmp(self, text: str) -> str:
        """TYPE or TYPE:CODE."""
        kind, colon, code = text.partition(":")
        word = "icmpv6" if self._six else "icmp"
        made = f"{word} type {self.number(kind, 0, 255)}"
        return made + (f" {word} code {self.number(code, 0, 255)}" if colon else "")

    def mac(self, text: str) -> str:
        """ADDRESS or ADDRESS/MASK in small letters; the mask of one address is left out."""
        parts = text.lower().split("/")
        if len(parts) > 2 or not all(map(_MAC.fullmatch, parts)):
            raise RefusedError("not a MAC address")
        return parts[0] if parts[-1] == "ff:ff:ff:ff:ff:ff" else "/".join(parts)

    def flags(self, text: str) -> str:
        """Flags of TCP, syn,!ack: nft's mask is all that are looked at (nft(8))."""
        mask = [flag.removeprefix("!") for flag in text.split(",")]
        if not {*mask} <= {*table.FLAGS}:
            raise RefusedError(f"not a TCP flag: use {', '.join(table.FLAGS)}")
        there = [flag for flag in text.split(",") if flag in table.FLAGS]
        return f"tcp flags & ({' | '.join(mask)}) == {' | '.join(there) or '0'}"

    def reject_with(self, text: str) -> str:
        if text not in table.REJECT_WITH or (self._six and text != "tcp-reset"):
            raise RefusedError("no translation")
        if text == "tcp-reset" and self._protocol != "tcp":
            raise RefusedError("needs protocol=tcp")
        return table.REJECT_WITH[text]

    def passthrough(self, text: str) -> str:
        return "" if flag(text) else "accept"


def flag(text: str) -> bool:
    """Return True for yes."""
    if text not in ("yes", "no", "true", "false"):
        raise RefusedError("must be yes or no")
    return text in ("yes", "true")
