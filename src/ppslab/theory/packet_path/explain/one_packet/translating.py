"""What the rules of dstnat make of a packet's destination, and those of srcnat of its source."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.addresses import private, span
from ppslab.theory.packet_path.explain.firewall import Step, Walk
from ppslab.theory.packet_path.explain.matchers import NO, YES
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.one_packet.ending import place_of
from ppslab.theory.packet_path.explain.one_packet.interfaces import above_of
from ppslab.theory.packet_path.explain.one_packet.marks import follow
from ppslab.theory.packet_path.explain.one_packet.placing import place
from ppslab.theory.packet_path.explain.one_packet.tables import tables_of
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.row import Row

TRANSLATES = ("dst-nat", "redirect", "netmap", "src-nat", "masquerade", "same",
              "endpoint-independent-nat")  # fmt: skip
TRACKED = ("new", "established", "related")
MAKES_RULES = ("/ip/upnp", "/ip/nat-pmp")
"""What creates dynamic rules of dstnat where it is enabled (MikroTik's manual, NAT-PMP)."""


class Translated:
    """The packet as a rule of dstnat makes it; `sure`: the rule matches all that come to it."""

    def __init__(self, row: Row, sure: bool, packet: Packet, to: str) -> None:
        self.row = row
        self.sure = sure
        self.packet = packet
        self.to = to

    @staticmethod
    def ends(action: str) -> bool:
        """Whether a rule of NAT with this action is the last one that a packet meets."""
        return action in TRANSLATES or action == "accept"

    def said(self, net: Network, came: Packet) -> str:
        """What was translated, and by which line."""
        where = place_of(net, self.row.first)
        if came.state == "new":
            return "The destination is translated to " + self.to + " (" + where + ")."
        said = "The destination is translated to " + self.to + ", as that of the first packet of "
        return said + "its connection was (" + where + ")."

    def condition(self, net: Network) -> str:
        """`line 12 translates it to 192.168.1.10`."""
        return place_of(net, self.row.first) + " translates it to " + self.to


def translations(net: Network, packet: Packet) -> list[Translated]:
    """What may become of its destination, by the rules in their order; the last may be sure.

    NAT matches the first packet of a connection alone, and does the same to the others
    (MikroTik's manual, NAT): of a connection that is there already, the first is asked about.
    """
    first = packet.copied()
    first.state = "new"
    there = [known for _, chain, known in follow(net, first, tables_of(first)) if chain == "dstnat"]
    found: list[Translated] = []
    for step in _met(net, there[0], "dstnat"):
        sure = step.verdict == YES and step.sure
        if step.action in TRANSLATES:
            made, to = _made(net, packet, step.row)
            found.append(Translated(step.row, sure, made, to))
        if sure:
            break
    return found


def _met(net: Network, packet: Packet, chain: str) -> list[Step]:
    """The rules of a chain of NAT that a packet meets, or may, and that end its way there."""
    walk = Walk(net, packet, packet.family)
    walk.chain(net.firewall_of(packet.family).chains["nat"], chain)
    return [s for s in walk.steps if s.verdict != NO and Translated.ends(s.action)]


def _made(net: Network, packet: Packet, row: Row) -> tuple[Packet, str]:
    """The packet behind a rule that translates it, and its destination in words."""
    made = packet.copied()
    made.nat = ["dstnat"]
    port = row.get("to-ports")
    if port:
        made.dst_port = int(port) if not port.strip("0123456789") else None
    if row.get("action") == "redirect":
        made.chain, made.dst, made.outs = "input", None, None
        return made, "the router itself" + (", port " + port if port else "")
    text = row.get("to-addresses") or row.get("to-address")
    to = None
    if text:
        made.dst_internet = False
        try:
            to = span(text)
        except ValueError:
            text = ""
        made.dst = [_within_map(row, packet, to)] if to else None
    made.chain, made.outs = "forward", None
    place(net, made)
    if made.outs:
        made.outs = [above_of(net, name) for name in made.outs]
    if not text or not to or not private(to, packet.family):
        # A public address may have to be struck out where the answer is shown.
        text = "the address that it names" if text else "the same address"
    return made, text + (", port " + port if port else "")


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
    return (begin, begin) if one and to[0] <= begin <= to[1] else to


def named(net: Network, packet: Packet, perhaps: bool, says: list[str]) -> list[str] | None:
    """The NAT states that a packet may have which no rule of dstnat translates for certain."""
    makers = [path for path in MAKES_RULES if _enabled(net, path)]
    from_wan = not packet.ins or [name for name in packet.ins if name in net.wan]
    if packet.state not in TRACKED:
        return None
    if makers and from_wan:
        says.append(
            makers[0] + " is enabled, and adds rules of dstnat that no export shows: ask the "
            "router by /ip/firewall/nat/print where dynamic."
        )
        return None
    if packet.state == "new":
        return ["none"]
    if perhaps or net.firewall_of(packet.family).chains["nat"].get("dstnat"):
        return None  # it may be an answer of a connection that was translated
    return ["none", "srcnat"]


def back_said(net: Network, packet: Packet) -> list[str]:
    """That the answers of translated connections are not for the router, though they look so."""
    nat = net.firewall_of(packet.family).chains["nat"].get("srcnat")
    from_wan = not packet.ins or [name for name in packet.ins if name in net.wan]
    if packet.chain != "input" or packet.state not in TRACKED[1:] or not nat or not from_wan:
        return []
    return [
        "If it answers a connection whose source was translated, its destination is translated "
        "back and it is forwarded: ask again with that host's address as dst=."
    ]


def _enabled(net: Network, path: str) -> bool:
    row = net.rows.single(path)
    return row is not None and row.get("enabled") == "yes"


def source_said(net: Network, packet: Packet) -> list[str]:
    """What the rules of srcnat make of its source, where it is the first of its connection."""
    if packet.state != "new":
        return []
    for step in _met(net, packet, "srcnat"):
        where = place_of(net, step.row.first)
        sure = step.verdict == YES and step.sure
        if step.action in TRANSLATES:
            may = "is" if sure else "is perhaps"
            return ["The source " + may + " translated: " + step.action + " (" + where + ")."]
        if sure:
            return []
    return []
