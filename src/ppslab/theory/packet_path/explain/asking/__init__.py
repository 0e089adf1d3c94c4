"""`explain`: the classes of traffic of a configuration, the path of each and the line that decides.

The answer is plain data (`answering.Answer.plain`), with the decisions as words of few kinds; the
sentences are made from them where they are shown.
"""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import (
    bridged,
    chip_lines,
    joining,
    matching,
    together,
    traffic,
)
from ppslab.theory.packet_path.explain.asking import by_rule, sessions, tunnels
from ppslab.theory.packet_path.explain.asking.cases import cases_of, not_known, on_what
from ppslab.theory.packet_path.explain.deciding import (
    DEPENDS,
    DROPPED,
    FAST,
    NO,
    UNKNOWN,
    YES,
    Decided,
    Reason,
    Situation,
    answer_of,
    slow,
    way,
    with_,
)
from ppslab.theory.packet_path.explain.firewall import Marking, Step, marking
from ppslab.theory.packet_path.explain.network import Network, edges
from ppslab.theory.packet_path.explain.one_packet.marks import both_ways, marked
from ppslab.theory.packet_path.explain.traffic import Traffic
from ppslab.theory.packet_path.exports.printed import TOLD
from ppslab.theory.packet_path.exports.reading import FORWARDS, Command, Export

NOTES = ("fasttrack-and-ipsec", "fasttrack-and-marks", "fasttrack-and-tables",
         "fasttrack-and-queues", "bridge-mtu", "masquerade-reconnects", "never-reached",
         "ppp-rate-limit", "dhcp-rate-limit", "ipsec-dynamic", "l2tp-server-ipsec",
         "routes-nothing", "capsman-forwarding", "cap-forwarding", "cap-to-capsman", "cap-itself",
         "accept-in-front", "empty-list")  # fmt: skip
"""Rules that are said beside the table, whatever the classes' paths."""

PACKET = "packet"
"""The name of the class of one packet that was asked about."""

LABELS = "labels"
"""What a rule hides and no counter of the fast path settles: which routes have labels.

What else a rule hides, queues and policies, a router counts under that name (`printed`).
"""

HIDDEN = {"queues": "it", "policies": "it", LABELS: "which routes have labels"}
"""What no export shows of what a rule hides."""

FORWARD_KNOWN = (6, 29)
"""No source says since when there is Fast Forward; before this, too little else is known."""


class Explained:
    """Everything that was decided of a configuration."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.without: list[tuple[str, int]] = []
        self.evidence: list[Command] = []
        """What it was asked with, beside the exports."""
        self.met: dict[str, list[Command]] = {}
        self.classes: list[Decided] = []
        self.offload: list[tuple[str, Command | None, str]] = []
        self.seen: list[dict[str, Any]] = []
        self.situation: Situation | None = None

    @property
    def fast(self) -> bool:
        """Whether all that is forwarded is forwarded fast."""
        kinds = [each for each in self.classes if each.traffic.kind in traffic.DECISIVE]
        return all(each.answer == YES for each in kinds)


def explain(
    exports: list[Export],
    base: dict[str, Any],
    without: list[tuple[str, int]] | None = None,
    evidence: list[Command] | None = None,
    version: str = "",
) -> Explained:
    """Explain one router's exports by the rule base (`rules.plain()`).

    `without`: lines to leave out, by file and number; `evidence`: what a router printed, or what
    was typed behind the exports; `version`: RouterOS's, whatever the exports say.
    """
    net = Network(exports, base, without, evidence, version)
    found = Explained(net)
    found.without, found.evidence = without or [], evidence or []
    rules = {rule["id"]: rule for rule in base["rules"]}
    chip = net.chip
    classes = chip["classes"] if chip else []
    in_force = [rule for rule in base["rules"] if matching.in_force(rule, net.numbers)]
    for name, row in matching.rows_that_meet(in_force, net.rows):
        rule = rules[name]
        if matching.only_offload(rule) and not matching.of_chip(rule, classes):
            continue
        words = [word for word in rule["where"] if row.says(word)]
        found.met.setdefault(name, []).append(row.command(words[0]) if words else row.first)
    if "cap-forwarding" in found.met:
        _said_of_radios(found, exports)
    every = traffic.classes(net)
    markings = {each.name: _markings(net, each) for each in every}
    for name, lines in together.found(net, markings["established"]):
        if matching.in_force(rules[name], net.numbers):
            found.met[name] = found.met.get(name, []) + lines
    if chip:
        every_command = [c for export in exports for c in export.commands] + found.evidence
        added = [c for c in every_command if c.command in ("add", "set")]
        added = [c for c in added if c.properties.get("disabled") != "yes"]
        for name, line, seen in chip_lines.findings(added, chip["ways"]):
            if matching.of_chip(rules[name], classes):
                found.offload.append((name, line, seen))
                found.met[name] = found.met.get(name, []) + ([line] if line else [])
    situation = Situation(net, found.met, rules, markings["established"])
    found.situation = situation
    situation.main = next(each for each in every if each.name == "established")
    found.classes = joining.joined(
        [_decided(situation, each, markings[each.name]) for each in every]
    )
    if net.routes_nothing:
        gone = (traffic.NEW, traffic.ESTABLISHED, traffic.OTHER)
        found.classes = [
            each
            for each in found.classes
            if each.traffic.kind not in gone or (each.traffic.family == 6 and _routes_ipv6(net))
        ]
        found.met["routes-nothing"] = [row.first for row in net.rows.of("/ip/address")]
    for made in by_rule.classes(situation):
        _of_device(situation, made)
        found.classes.append(made)
    return found


def decided(found: Explained, each: Traffic) -> Decided:
    """The path of one more class of packets, as those of the configuration are decided."""
    assert found.situation is not None
    return _decided(found.situation, each, _markings(found.net, each))


def _said_of_radios(found: Explained, exports: list[Export]) -> None:
    """Who forwards what a CAP's radios receive, where the comments of its export say it."""
    for index, name in enumerate(("cap-to-capsman", "cap-itself")):
        word = FORWARDS[index]
        if any(word in export.header for export in exports):
            found.met[name] = found.met["cap-forwarding"]
    if "cap-to-capsman" in found.met or "cap-itself" in found.met:
        del found.met["cap-forwarding"]


def _routes_ipv6(net: Network) -> bool:
    menus = ("/ipv6/address", "/ipv6/dhcp-client", "/ipv6/route")
    return any(net.rows.of(menu) for menu in menus)


def _markings(net: Network, each: Traffic) -> list[Marking]:
    if each.packet is None or each.kind not in (traffic.ESTABLISHED, traffic.OTHER):
        return []
    return [marking(net, packet, each.family) for packet in both_ways(net, each.packet)]


def _decided(situation: Situation, each: Traffic, markings: list[Marking]) -> Decided:
    if each.kind == traffic.LOCAL:
        return slow(each, "fast-path-local", "", [])
    if each.kind == traffic.CARRIED:
        if each.of_kind == "pppoe-client":
            return _perhaps_off(_over_pppoe(situation, each))
        return _perhaps_off(tunnels.carried(situation.net, each))
    if each.kind == traffic.PROTECTED:
        return slow(each, "fast-path-ipsec", "ipsec", situation.met.get("ipsec", []))
    # A packet that answers another may be of a connection that began the other way.
    drops_new = None if each.name == PACKET else first_dropped(situation.net, each)
    dropped = [m.dropped for m in markings if m.dropped]
    chip = [mode.chip for mode in chip_lines.modes(situation.net, each, markings)]
    past = bool(chip) and all(mode == chip_lines.ROUTES for mode in chip)
    if each.kind == traffic.NEW and drops_new is not None:
        dropped = [drops_new]
    if dropped and all(m.dropped for m in markings) and not past:
        made = Decided(each, NO, [DROPPED])
        lines = [step.row.first for step in dropped]
        made.reasons = [Reason("fast-path-firewall", "", lines[:1], "the rule drops them")]
        return made
    if drops_new is not None and not past:
        made = Decided(each, NO, [DROPPED])
        lines, why = [drops_new.row.first], "no connection begins this way: the rule drops it"
        made.reasons = [Reason("fast-path-firewall", "", lines, why)]
        return made
    made = _forwarded(situation, each, markings)
    _hidden(situation, made)
    if each.name == sessions.RULE:
        sessions.told(situation, made)
    return made


def first_dropped(net: Network, each: Traffic) -> Step | None:
    """The rule that drops the first packets of a class for certain."""
    if each.packet is None:
        return None
    packet = each.packet.copied()
    packet.state = "new"
    return marking(net, marked(net, packet), each.family).dropped


def _forwarded(situation: Situation, each: Traffic, markings: list[Marking]) -> Decided:
    """What is routed or bridged: by every case that is possible."""
    features = situation.features(each)
    inputs = situation.inputs(each, features)
    if each.kind == traffic.BRIDGED:
        return _old(situation, bridged.decided(situation, each, inputs))
    before_ipv6 = each.family == 6 and situation.net.numbers and situation.net.numbers < (7, 18)
    if before_ipv6:
        inputs["allow"] = False
    cases, doubts = cases_of(situation, each, markings, inputs)
    chip: list[chip_lines.Mode | None] = list(chip_lines.modes(situation.net, each, markings))
    ways: list[str] = []
    reasons: list[Reason] = []
    asks: list[str] = []
    first: Any = None
    known: list[str] = []
    for mode in chip or [None]:
        for chosen in cases:
            tried = with_(chosen, "chip", mode.chip) if mode else chosen
            found, why, case = way(situation, each, tried, markings)
            why = mode.told(found, why) if mode else why
            asks += [ask for ask in mode.asks if ask not in asks] if mode else []
            first = first or case
            if found not in ways:
                ways.append(found)
            if mode is None or not mode.unsaid:
                known.append(found)
            for reason in why:
                if (reason.fact, reason.rule) not in [(r.fact, r.rule) for r in reasons]:
                    reasons.append(reason)
    without = not_known(situation, each, ways, reasons, asks)
    reasons = [reason for reason, _ in without] + reasons
    known += [packet_way.SLOW for _, said in without if said]
    known += [one for one in ways if one == DROPPED]
    if packet_way.CHIP not in ways:
        reasons += situation.bonds_back(each)
    elif each.packet is not None and each.packet.nat == ["srcnat"]:
        # The chip translates nothing that it routes as it comes.
        each.title = each.title.replace(", translated", ", not translated by the chip")
    if before_ipv6 and packet_way.CHIP not in ways:
        reasons = [Reason("tree-ipv6-fast-path", "", [], "")] + reasons[1:]
    made = Decided(each, answer_of(ways), ways)
    if made.answer == DEPENDS and answer_of(known) == YES:
        made.answer = UNKNOWN  # only what no source says is slow
    made.reasons = reasons
    made.asks = asks if len(ways) > 1 else []
    made.case = first
    if made.answer == DEPENDS:
        made.reasons = [on_what(step) for step in doubts[:8]] + reasons
    return made


def _old(situation: Situation, made: Decided) -> Decided:
    """A bridge of a RouterOS so old that no source says whether it has Fast Forward."""
    net = situation.net
    if packet_way.FORWARD in made.ways and net.numbers and net.numbers < FORWARD_KNOWN:
        made.answer = UNKNOWN
        for reason in [r for r in made.reasons if r.fact == "fast-forward-two-ports"]:
            reason.why = "not known of RouterOS " + net.version
        made.asks = made.asks + ["/interface/bridge/settings/print"]
    return made


def _perhaps_off(made: Decided) -> Decided:
    """A client that no line says to be on, and that is off from the beginning."""
    row = made.traffic.row
    if made.answer == YES and row is not None and edges.unsaid(row):
        made.answer, ask = UNKNOWN, joining.ask_about([made.traffic.interface])
        made.reasons.append(Reason("client-disabled", "", [row.first], "it does not say disabled"))
        made.asks = made.asks + ([] if ask in made.asks else [ask])
    return made


def _over_pppoe(situation: Situation, each: Traffic) -> Decided:
    """What a client carries is routed as what is established; asked once for all clients."""
    if situation.over_pppoe is None:
        situation.over_pppoe = _forwarded(situation, each, situation.established)
    known = situation.over_pppoe
    lines = [each.row.first] if each.row is not None else []
    made = Decided(each, known.answer, known.ways)
    made.reasons = known.reasons + [Reason("fast-path-ports", "pppoe-client", lines, "")]
    made.case = known.case
    made.asks = known.asks[:]
    _hidden(situation, made)
    return made


def _hidden(situation: Situation, made: Decided) -> None:
    """What an export cannot say where it decides: dynamic queues and policies, a CHR's adapters."""
    if made.answer != YES:
        return
    fasttracked = made.ways == [packet_way.FASTTRACK]
    rules = [rule for rule in situation.net.base["rules"] if rule["hides"]]
    rules = [] if fasttracked or made.traffic.kind == traffic.BRIDGED else rules
    told = situation.net.rows.single(TOLD)
    if told is not None:
        settled = told.get("active-" + str(made.traffic.family)) == "yes"
        labels = [rule for rule in rules if rule["hides"] == LABELS]
        rules = labels if settled else [r for r in rules if not told.says(r["hides"] or "")]
    for rule in rules:
        name = rule["id"]
        if name in situation.met and rule["family"] in (None, made.traffic.family):
            made.answer = UNKNOWN
            made.asks += [ask for ask in rule["asks"] if ask not in made.asks]
            why = "no export shows " + HIDDEN.get(rule["hides"], "it")
            made.reasons.append(Reason(rule["facts"][0], name, situation.met[name], why))
    if told is None or told.get("active-" + str(made.traffic.family)) != "yes":
        _of_device(situation, made)


def _of_device(situation: Situation, made: Decided) -> None:
    """A CHR's adapters, or a router that may be a CHR: whether ports have a fast path at all."""
    told, rule = situation.net.rows.single(TOLD), situation.rules["chr-adapters"]
    if situation.net.virtual and any(one in FAST for one in made.ways):
        made.answer = UNKNOWN
        made.asks += [ask for ask in rule["asks"] if ask not in made.asks]
        made.reasons.append(Reason(rule["facts"][0], rule["id"], [], "no export shows it"))
    if situation.net.device_unknown and told is None and made.answer == YES:
        made.answer, made.asks = UNKNOWN, made.asks + ["/system/resource/print"]
        made.reasons.append(Reason("chr-fast-path", "", [], "which device it is, nothing says"))
