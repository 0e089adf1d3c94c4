"""One packet with the path that it takes, decided as for a class of such packets."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import asking, one_packet
from ppslab.theory.packet_path.explain.deciding import DROPPED, Decided, Reason
from ppslab.theory.packet_path.explain.firewall import Step
from ppslab.theory.packet_path.explain.network import REFUSES
from ppslab.theory.packet_path.explain.one_packet import in_chip
from ppslab.theory.packet_path.explain.one_packet.ending import place_of
from ppslab.theory.packet_path.explain.one_packet.marks import answering
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.explain.traffic import BRIDGED, ESTABLISHED, NEW, OTHER, Traffic

TRACKED = ("established", "related")


def answered(found: asking.Explained, packet: Packet) -> dict[str, Any]:
    """What `one_packet.walked` says, with `path`: its ways, and `because`: the reasons for them."""
    net = found.net
    walked, led = one_packet.followed(net, packet)
    never = _never_begins(found, led) if walked["chip"] == in_chip.NONE else None
    if walked["chain"] == "forward" and never is not None:
        place = place_of(net, never.row.first)
        walked["end"], walked["fasttrack"], walked["unless"] = never.action, "no", []
        walked["ended"] = never.action + ": no connection begins, " + place + " ends the first"
        walked["ended"] += " packet of it"
    ways, reasons = _path(found, walked, led)
    walked["path"] = ways
    walked["because"] = [_sentence(found, reason) for reason in reasons[:1]]
    for row in net.rows.of("/ip/hotspot"):
        if row.get("interface") in [net.above(name) for name in led.ins or []]:
            walked["says"].append(
                "A hotspot is on " + row.get("interface") + " (" + place_of(net, row.first) + "): "
                "while it runs it has rules of its own, which no export shows, and which redirect "
                "or reject the packets of whoever has not logged in."
            )
            walked["ended"] += ", if the hotspot lets it pass"
    return walked


def _path(
    found: asking.Explained, walked: dict[str, Any], led: Packet
) -> tuple[list[str], list[Reason]]:
    if walked["chain"] == one_packet.BRIDGED:
        bridges = found.net.bridges_below(led.ins or [])
        for each in found.classes:
            if bridges and each.traffic.kind == BRIDGED and bridges[0] in each.traffic.members:
                return each.ways, each.reasons
        return [packet_way.SLOW], []
    refused = walked["end"] in REFUSES
    if walked["end"] == one_packet.NOWHERE or (
        refused and not walked["unless"] and walked["chip"] == in_chip.NONE
    ):
        return [DROPPED], []
    if walked["chain"] != "forward":
        return [packet_way.SLOW], [Reason("fast-path-local", "", [], "")]
    made = _decided(found, led)
    return made.ways + ([DROPPED] if refused and DROPPED not in made.ways else []), made.reasons


def _decided(found: asking.Explained, led: Packet) -> Decided:
    kind = ESTABLISHED if led.state in TRACKED else OTHER
    kind = NEW if led.state == "new" else kind
    kind = OTHER if led.protocols[0] not in ("tcp", "udp") else kind
    each = Traffic(asking.PACKET, "the packet", kind, led.family)
    each.packet = led
    return asking.decided(found, each)


def _never_begins(found: asking.Explained, led: Packet) -> Step | None:
    """The rule that ends the first packet of an established packet's connection, either way."""
    if led.state not in TRACKED or led.chain != "forward":
        return None
    steps = []
    for one in (led, answering(found.net, led)):
        each = Traffic(asking.PACKET, "", NEW, led.family)
        each.packet = one
        steps.append(asking.first_dropped(found.net, each))
    return steps[0] if all(step is not None for step in steps) else None


def _sentence(found: asking.Explained, reason: Reason) -> str:
    lines = [place_of(found.net, line) for line in reason.lines[:1]]
    says = str(found.net.base["facts"][reason.fact]["says"])
    return says + "".join([" (" + line + ")" for line in lines])
