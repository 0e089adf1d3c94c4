"""`explain`: the path of each class of traffic, and the line that decides it.

The answer is plain data (`report.Answer.plain`), with the decisions as words of few kinds; the
sentences are made from them where they are shown.
"""

from __future__ import annotations

from typing import Any

from rosexplain import (
    decide,
    matching,
    neighbours,
    offload,
    radios,
    resolver,
    switching,
    trace,
    traffic,
    unused,
    wiring,
)
from rosexplain.alike import joined
from rosexplain.commands import counters_of
from rosexplain.decide import DROPPED, FAST_WAYS, Reason, Situation, Verdict, slow
from rosexplain.ending import place_of
from rosexplain.firewall import Marking, Step, marking
from rosexplain.forwarding import PPPOE_SERVER, add_sessions, forwarded
from rosexplain.language import N_, gettext
from rosexplain.marks import answering, both_ways, marked
from rosexplain.matchers import NO, YES
from rosexplain.network import REFUSES, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet, key_of
from rosexplain.parse import Command, Export
from rosexplain.printed import PRINTED
from rosexplain.traffic import BRIDGED, CARRIED, ESTABLISHED, NEW, OTHER, Traffic
from rosexplain.tunnels import carried
from rosexplain.uplinks import off_by_default

PACKET = "packet"
"""The name of the class of one packet that was asked about."""

LABELS = "labels"
"""The word for routes with labels: a rule hides them, and no counter of the fast path tells.

What else a rule hides, queues and policies, a router counts under that name (`printed`).
"""

NOT_SHOWN = N_("an export does not show it")
HIDDEN = {LABELS: N_("an export does not show which routes have labels")}
"""The gaps of an export in words, by what a rule hides."""


class Explanation:
    """Everything that was decided of a configuration."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.without: list[tuple[str, int]] = []
        self.evidence: list[Command] = []
        """Commands of the router's output, beside the exports."""
        self.met: dict[str, list[Command]] = {}
        self.classes: list[Verdict] = []
        self.offload: list[tuple[str, Command | None, str]] = []
        self.seen: list[dict[str, Any]] = []
        self.situation: Situation | None = None
        self.paths: dict[Any, list[str]] = {}
        """The paths of packets alike, once a probe asked (`probes.ways`)."""

    @property
    def main(self) -> Verdict | None:
        """The class of established packets from the LAN to the WAN; None: nothing is routed."""
        return next((one for one in self.classes if one.traffic.name == "established"), None)

    @property
    def fast(self) -> bool:
        """Return True if all that is forwarded is forwarded fast."""
        kinds = [verdict for verdict in self.classes if verdict.traffic.kind in traffic.DECISIVE]
        return all(verdict.answer == YES for verdict in kinds)


def explain(
    exports: list[Export],
    base: dict[str, Any],
    without: list[tuple[str, int]] | None = None,
    evidence: list[Command] | None = None,
    version: str = "",
) -> Explanation:
    """Explain one router's exports by the rule base (`rules.plain()`).

    `without`: lines to leave out, by file and number; `evidence`: what a router printed, or what
    was typed behind the exports; `version`: RouterOS's, whatever the exports say.
    """
    net = Network(exports, base, without, evidence, version)
    return explained(net, without or [], evidence or [])


def explained(net: Network, without: list[tuple[str, int]], evidence: list[Command]) -> Explanation:
    """Explain a router's model; `without` and `evidence` are those that it was made of."""
    exports = net.exports
    explanation = Explanation(net)
    explanation.without, explanation.evidence = without, evidence
    rules = net.rules.by_id
    chip = net.chip
    classes = chip["classes"] if chip else []
    in_force = [
        rule
        for rule in net.rules.in_force(net.numbers)
        if not matching.only_offload(rule) or matching.of_chip(rule, classes)
    ]
    explanation.met = matching.lines_that_meet(in_force, net.rows, lambda: wiring.idle_ports(net))
    for name, lines in radios.forwarding(net, explanation.met.pop("cap-forwarding", [])):
        explanation.met[name] = lines
    every = traffic.classes(net)
    markings = {traffic_class.name: _markings(net, traffic_class) for traffic_class in every}
    together = traffic.rules_met_together(net, markings["established"]) + resolver.met(net)
    together += switching.mended(net) + switching.vlans_to_move(net)
    together += switching.radios_by_manager(net) + unused.mended(net) + radios.mended(net)
    for name, lines in together:
        if matching.in_force(rules[name], net.numbers):
            explanation.met[name] = explanation.met.get(name, []) + lines
    if chip:
        every_command = [c for export in exports for c in export.commands] + explanation.evidence
        added = [c for c in every_command if c.command in ("add", "set")]
        added = [c for c in added if c.properties.get("disabled") != "yes"]
        for name, line, seen in offload.findings(added, chip["ways"], net.tagged):
            if matching.of_chip(rules[name], classes):
                explanation.offload.append((name, line, seen))
                explanation.met[name] = explanation.met.get(name, []) + ([line] if line else [])
    situation = Situation(net, explanation.met, rules, markings["established"])
    explanation.situation = situation
    situation.main = next(one for one in every if one.name == "established")
    explanation.classes = joined([_verdict_of(situation, one, markings[one.name]) for one in every])
    alone = neighbours.forwards_nothing(net)
    if net.routes_nothing or alone:
        explanation.classes = [
            verdict
            for verdict in explanation.classes
            if verdict.traffic.kind not in (NEW, ESTABLISHED, OTHER)
            or (verdict.traffic.family == 6 and _routes_ipv6(net))
        ]
        if not alone:
            name = "has-no-address" if net.has_no_address else "routes-nothing"
            explanation.met[name] = [row.first for row in net.rows.of("/ip/address")]
    for verdict in verdicts_by_rule(situation):
        _of_device(situation, verdict)
        explanation.classes.append(verdict)
    return explanation


def verdict_of(explanation: Explanation, traffic_class: Traffic) -> Verdict:
    """The path of one more class of packets, as those of the configuration are decided."""
    assert explanation.situation is not None
    return _verdict_of(
        explanation.situation, traffic_class, _markings(explanation.net, traffic_class)
    )


def _routes_ipv6(net: Network) -> bool:
    menus = ("/ipv6/address", "/ipv6/dhcp-client", "/ipv6/route")
    return any(net.rows.of(menu) for menu in menus)


def _markings(net: Network, traffic_class: Traffic) -> list[Marking]:
    """FastTrack's part in both directions of a class, asked once of packets that are alike."""
    packet = traffic_class.packet
    if packet is None or traffic_class.kind not in (ESTABLISHED, OTHER):
        return []
    known = {} if packet.marks else net.firewall_of(packet.family).markings
    key = key_of(packet.parts())
    if key not in known:
        known[key] = [marking(net, one) for one in both_ways(net, packet)]
    both: list[Marking] = known[key]
    return both


def _verdict_of(situation: Situation, traffic_class: Traffic, markings: list[Marking]) -> Verdict:
    if traffic_class.kind == traffic.LOCAL:
        return slow(traffic_class, "fast-path-local", "", [])
    if traffic_class.kind == traffic.CARRIED:
        if traffic_class.of_kind == "pppoe-client":
            return _perhaps_off(_over_pppoe(situation, traffic_class))
        return _perhaps_off(carried(situation.net, traffic_class))
    if traffic_class.kind == traffic.PROTECTED:
        rule = "ipsec" if "ipsec" in situation.met else "ipsec-dynamic"
        return slow(traffic_class, "fast-path-ipsec", rule, situation.met.get(rule, []))
    # A packet that answers another may be of a connection that began the other way.
    first = None if traffic_class.name == PACKET else first_dropped(situation.net, traffic_class)
    chip = [mode.chip for mode in offload.modes(situation.net, traffic_class, markings)]
    past = bool(chip) and all(mode == offload.ROUTES for mode in chip)
    dropped = [m.dropped for m in markings if m.dropped]
    if traffic_class.kind == traffic.NEW and first is not None:
        dropped = [first]
    if dropped and len(dropped) >= len(markings) and not past:
        return _stopped(traffic_class, dropped[0], gettext("the rule drops them"))
    if first is not None and not past:
        why = gettext("the rule drops the first packet, so no connection starts")
        return _stopped(traffic_class, first, why)
    verdict = forwarded(situation, traffic_class, markings)
    _hidden(situation, verdict)
    if traffic_class.name == PPPOE_SERVER:
        add_sessions(situation, verdict)
    return verdict


def _stopped(traffic_class: Traffic, step: Step, why: str) -> Verdict:
    reason = Reason("fast-path-firewall", "", [step.row.first], why)
    return Verdict(traffic_class, NO, [DROPPED], [reason])


def _perhaps_off(verdict: Verdict) -> Verdict:
    """A client that no line says to be on, and that is off from the beginning."""
    row = verdict.traffic.row
    if verdict.answer == YES and row is not None and off_by_default(row):
        reason = Reason(
            "client-disabled", "", [row.first], gettext("the line does not set disabled")
        )
        verdict.doubt(reason, [counters_of([verdict.traffic.interface])])
    return verdict


def _over_pppoe(situation: Situation, traffic_class: Traffic) -> Verdict:
    """Return a client's verdict: routed as what is established is; asked once for all clients."""
    if situation.over_pppoe is None:
        situation.over_pppoe = forwarded(situation, traffic_class, situation.established)
    known = situation.over_pppoe
    lines = [traffic_class.row.first] if traffic_class.row is not None else []
    verdict = Verdict(traffic_class, known.answer, known.ways)
    verdict.reasons = known.reasons + [Reason("fast-path-ports", "pppoe-client", lines, "")]
    verdict.case = known.case
    verdict.asks = known.asks[:]
    _hidden(situation, verdict)
    return verdict


def _hidden(situation: Situation, verdict: Verdict) -> None:
    """Add the doubts that no export settles: dynamic queues and policies, a CHR's adapters."""
    if verdict.answer != YES:
        return
    fasttracked = verdict.ways == [decide.FASTTRACK]
    rules = [rule for rule in situation.net.base["rules"] if rule["hides"]]
    rules = [] if fasttracked or verdict.traffic.kind == traffic.BRIDGED else rules
    status = situation.net.rows.single(PRINTED)
    if status is not None:
        settled = status.get("active-" + str(verdict.traffic.family)) == "yes"
        labels = [rule for rule in rules if rule["hides"] == LABELS]
        rules = labels if settled else [r for r in rules if not status.says(r["hides"] or "")]
    for rule in rules:
        name = rule["id"]
        if name in situation.met and rule["family"] in (None, verdict.traffic.family):
            why = gettext(HIDDEN.get(rule["hides"], NOT_SHOWN))
            verdict.doubt(Reason(rule["facts"][0], name, situation.met[name], why), rule["asks"])
    if status is None or status.get("active-" + str(verdict.traffic.family)) != "yes":
        _of_device(situation, verdict)


def _of_device(situation: Situation, verdict: Verdict) -> None:
    """A CHR's adapters, or a router that may be a CHR: whether ports have a fast path at all."""
    status = situation.net.rows.single(PRINTED)
    rule = situation.rules[traffic.adapters(situation.net)]
    if situation.net.virtual and any(one in FAST_WAYS for one in verdict.ways):
        reason = Reason(rule["facts"][0], rule["id"], [], gettext(NOT_SHOWN))
        verdict.doubt(reason, rule["asks"])
    if situation.net.device_unknown and status is None and verdict.answer == YES:
        reason = Reason("chr-fast-path", "", [], gettext("the export does not show the device"))
        verdict.doubt(reason, ["/system/resource/print"])


def first_dropped(net: Network, traffic_class: Traffic) -> Step | None:
    """The rule that drops the first packets of a class for certain."""
    if traffic_class.packet is None:
        return None
    packet = traffic_class.packet.copied()
    packet.state = "new"
    return marking(net, marked(net, packet)).dropped


def verdicts_by_rule(situation: Situation) -> list[Verdict]:
    """A class for each name of which a rule is met that makes it, in the rules' order."""
    met = [rule for rule in situation.net.base["rules"] if rule["id"] in situation.met]
    carrying = [rule for rule in met if rule["carries"]]
    making = [rule for rule in carrying if not rule["carries"]["instead"]]
    return [
        _verdict_by_rule(situation, [rule for rule in carrying if rule["carries"]["name"] == name])
        for name in unique([rule["carries"]["name"] for rule in making])
    ]


def _verdict_by_rule(situation: Situation, rules: list[dict[str, Any]]) -> Verdict:
    """By a rule that decides instead, where there is one; else by the first that makes it."""
    rule = ([rule for rule in rules if rule["carries"]["instead"]] or rules)[0]
    carries, net = rule["carries"], situation.net
    traffic_class = Traffic(carries["name"], net.base["carried"][carries["name"]], CARRIED)
    if carries["answer"] == YES and "chr-before-7" in situation.met:
        return slow(traffic_class, "chr-fast-path", "chr-before-7", [])
    allow, line = net.setting("/ip/settings", "allow-fast-path")
    if carries["answer"] == YES and allow == "no":
        return slow(traffic_class, "fast-path-allowed", "allow", [line] if line else [])
    verdict = Verdict(traffic_class, carries["answer"], list(carries["paths"]))
    verdict.reasons = [Reason(fact, rule["id"], [], "") for fact in rule["facts"]]
    verdict.reasons[0].lines = situation.met[rule["id"]]
    verdict.asks = list(rule["asks"]) if verdict.answer not in (YES, NO) else []
    return verdict


def trace_packet(explanation: Explanation, packet: Packet) -> dict[str, Any]:
    """Return `trace.followed`'s answer, with `path`: its ways, and `because`: their reasons."""
    net = explanation.net
    walked, led = trace.followed(net, packet)
    never = _never_begins(explanation, led) if walked["chip"] == trace.NONE else None
    if walked["chain"] == "forward" and never is not None:
        place = place_of(net, never.row.first)
        walked["end"], walked["fasttrack"], walked["unless"] = never.action, "no", []
        text = gettext("{action}: {place} stops the first packet, so no connection starts")
        walked["ended"] = text.format(action=never.action, place=place)
    ways, reasons = _path(explanation, walked, led)
    walked["path"] = ways
    walked["because"] = [_sentence(explanation, reason) for reason in reasons[:1]]
    for row in net.rows.of("/ip/hotspot"):
        if row.get("interface") in [net.above(name) for name in led.ins or []]:
            walked["says"].append(
                gettext(
                    "A hotspot is on {name} ({place}). While it runs, its dynamic rules redirect "
                    "or reject packets of clients that have not logged in; an export does not "
                    "show these rules."
                ).format(name=row.get("interface"), place=place_of(net, row.first))
            )
            walked["ended"] += gettext(", if the hotspot lets it pass")
    return walked


def _path(
    explanation: Explanation, walked: dict[str, Any], led: Packet
) -> tuple[list[str], list[Reason]]:
    if walked["chain"] == trace.BRIDGED:
        bridges = explanation.net.bridges_below(led.ins or [])
        for bridged in explanation.classes if bridges else []:
            if bridged.traffic.kind == BRIDGED and bridges[0] in bridged.traffic.members:
                return bridged.ways, bridged.reasons
        return [decide.SLOW], []
    refused = walked["end"] in REFUSES
    if walked["end"] == trace.NOWHERE or (
        refused and not walked["unless"] and walked["chip"] == trace.NONE
    ):
        return [DROPPED], []
    if walked["chain"] != "forward":
        return [decide.SLOW], [Reason("fast-path-local", "", [], "")]
    verdict = packet_verdict(explanation, led)
    also = [DROPPED] if refused and DROPPED not in verdict.ways else []
    return verdict.ways + also, verdict.reasons


def packet_verdict(explanation: Explanation, led: Packet) -> Verdict:
    """The path of packets such as one, whose interfaces are the firewall's."""
    kind = ESTABLISHED if led.state in trace.TRACKED else OTHER
    kind = NEW if led.state == "new" else kind
    kind = OTHER if led.protocols[0] not in ("tcp", "udp") else kind
    traffic_class = Traffic(PACKET, "the packet", kind, led.family)
    traffic_class.packet = led
    return verdict_of(explanation, traffic_class)


def _never_begins(explanation: Explanation, led: Packet) -> Step | None:
    """The rule that ends the first packet of an established packet's connection, either way."""
    if led.state not in trace.TRACKED or led.chain != "forward":
        return None
    steps = []
    for one in (led, answering(explanation.net, led)):
        traffic_class = Traffic(PACKET, "", NEW, led.family)
        traffic_class.packet = one
        steps.append(first_dropped(explanation.net, traffic_class))
    return steps[0] if all(step is not None for step in steps) else None


def _sentence(explanation: Explanation, reason: Reason) -> str:
    lines = [place_of(explanation.net, line) for line in reason.lines[:1]]
    says = str(explanation.net.base["facts"][reason.fact]["says"])
    return says + "".join([" (" + line + ")" for line in lines])
