"""NAT: a packet's destination behind the rules of dstnat, its source behind those of srcnat."""

from __future__ import annotations

from dataclasses import dataclass

from rosexplain import secrets
from rosexplain.addresses import private, span, within
from rosexplain.destination import place
from rosexplain.ending import place_of, tables_of
from rosexplain.firewall import TRANSLATES, Step, ends, walk
from rosexplain.interfaces import above_of
from rosexplain.language import gettext
from rosexplain.marks import follow
from rosexplain.matchers import NO, YES
from rosexplain.network import Network, spelled
from rosexplain.packet import Packet
from rosexplain.rows import Row
from rosexplain.selection import is_number

TRANSLATED_STATES = ("new", "established", "related")
MAKES_RULES = ("/ip/upnp", "/ip/nat-pmp")
"""The menus that create dynamic rules of dstnat where enabled (MikroTik's manual, NAT-PMP)."""


@dataclass(frozen=True)
class Translated:
    """The packet as a rule of dstnat makes it; `sure`: the rule matches all that come to it."""

    row: Row
    sure: bool
    packet: Packet
    to: str

    def sentence(self, net: Network, came: Packet) -> str:
        """Return the translation in a sentence, with its line."""
        where = place_of(net, self.row.first)
        if came.state == "new":
            return f"The destination is translated to {self.to} ({where})."
        text = f"The destination is translated to {self.to}, like that of the first packet of "
        return text + f"its connection ({where})."

    def condition(self, net: Network) -> str:
        """`line 12 translates it to 192.168.1.10`."""
        return f"{place_of(net, self.row.first)} translates it to {self.to}"


def translations(net: Network, packet: Packet) -> list[Translated]:
    """Return a packet's possible translations, in the rules' order; the last may be sure.

    NAT matches the first packet of a connection alone, and does the same to the others
    (MikroTik's manual, NAT): of a connection that is there already, the first is asked about.
    """
    first = packet.copied()
    first.state = "new"
    if "nat" in net.firewall_of(packet.family).asking_tables:
        tables = follow(net, first, tables_of(first))
        first = next(known for _, chain, known in tables if chain == "dstnat")
    candidates: list[Translated] = []
    for step in _met(net, first, "dstnat"):
        sure = step.verdict == YES and step.sure
        if step.action in TRANSLATES:
            translated, to = _translated_by(net, packet, step.row)
            candidates.append(Translated(step.row, sure, translated, to))
        if sure:
            break
    return candidates


def _met(net: Network, packet: Packet, chain: str) -> list[Step]:
    """The rules of a chain of NAT that a packet meets, or may, and that end its way there."""
    steps = walk(net, packet, "nat", chain).steps
    return [step for step in steps if step.verdict != NO and ends(step.row)]


def _translated_by(net: Network, packet: Packet, row: Row) -> tuple[Packet, str]:
    """The packet behind a rule that translates it, and its destination in words."""
    translated = packet.copied()
    translated.nat = ["dstnat"]
    port = row.get("to-ports")
    if not secrets.shows(row.menu.path, "to-ports", port):
        port = ""
    if port:
        translated.dst_port = int(port) if is_number(port) else None
    if row.get("action") == "redirect":
        translated.chain, translated.dst, translated.outs = "input", None, None
        return translated, "the router itself" + (", port " + port if port else "")
    text = row.get("to-addresses") or row.get("to-address")
    to = None
    if text:
        translated.dst_internet = False
        try:
            to = span(text)
        except ValueError:
            text = ""
        translated.dst = [_within_map(row, packet, to)] if to else None
    translated.chain, translated.outs = "forward", None
    place(net, translated)
    if translated.outs:
        translated.outs = [above_of(net, name) for name in translated.outs]
    if not text or not to or not private(to, packet.family):
        # A public address may have to be struck out where the answer is shown.
        text = "the address that it names" if text else "the same address"
    return translated, text + (", port " + port if port else "")


def _within_map(row: Row, packet: Packet, to: tuple[int, int]) -> tuple[int, int]:
    """Netmap keeps an address's place in its network; all else may take any of the range."""
    if row.get("action") != "netmap" or not packet.dst:
        return to
    try:
        of = span(row.get("dst-address"))
    except ValueError:
        return to
    begin = to[0] + packet.dst[0][0] - of[0]
    one = packet.dst[0][0] == packet.dst[0][1] and of[1] - of[0] == to[1] - to[0]
    return (begin, begin) if one and within((begin, begin), to) else to


def named(net: Network, packet: Packet, perhaps: bool, says: list[str]) -> list[str] | None:
    """The NAT states that a packet may have which no rule of dstnat translates for certain."""
    if packet.state not in TRANSLATED_STATES:
        return None
    makers = [path for path in MAKES_RULES if net.rows.where(path, "enabled", "yes")]
    if makers and _from_wan(net, packet):
        says.append(
            makers[0] + " is enabled and adds dstnat rules that an export does not show. Ask the "
            "router: " + spelled(net, "/ip/firewall/nat/print where dynamic")
        )
        return None
    if packet.state == "new":
        return ["none"]
    if perhaps or net.firewall_of(packet.family).chains["nat"].get("dstnat"):
        return None  # it may be an answer of a connection that was translated
    return ["none", "srcnat"]


def answer_sentences(net: Network, packet: Packet) -> list[str]:
    """That the answers of translated connections are not for the router, though they look so."""
    nat = net.firewall_of(packet.family).chains["nat"].get("srcnat")
    if packet.chain != "input" or packet.state not in TRANSLATED_STATES[1:]:
        return []
    if not nat or not _from_wan(net, packet):
        return []
    return [
        gettext(
            "If it is a reply in a connection with source NAT, its destination is translated back "
            "and it is forwarded. For that case, give the host's address as dst=."
        )
    ]


def _from_wan(net: Network, packet: Packet) -> bool:
    """Return True if a packet comes in by a WAN, or may."""
    return not packet.ins or any(name in net.wan for name in packet.ins)


def source_sentences(net: Network, packet: Packet) -> list[str]:
    """Return the effect of srcnat on its source, where it is the first of its connection."""
    if packet.state != "new":
        return []
    for step in _met(net, packet, "srcnat"):
        where = place_of(net, step.row.first)
        sure = step.verdict == YES and step.sure
        if step.action in TRANSLATES:
            text = gettext("The source may be translated: {action} ({where}).")
            if sure:
                text = gettext("The source is translated: {action} ({where}).")
            return [text.format(action=step.action, where=where)]
        if sure:
            break
    return []
