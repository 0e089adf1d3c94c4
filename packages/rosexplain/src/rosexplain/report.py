"""The answer as plain data, from which secrets are struck out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosexplain import (
    commands,
    decide,
    limits,
    matching,
    offload,
    printed,
    probes,
    radios,
    remedy,
    secrets,
    services,
)
from rosexplain.alike import class_of
from rosexplain.chip_vlans import chip_vlans
from rosexplain.classify import Explanation, explain, explained, trace_packet
from rosexplain.contradicted import AGAINST, contradictions
from rosexplain.cut_off import leaving
from rosexplain.decide import Reason, Verdict
from rosexplain.interface_lists import named_by
from rosexplain.kept import kept
from rosexplain.language import few_of, gettext
from rosexplain.left_out import changed
from rosexplain.names import misspelled, spellings
from rosexplain.network import spelled
from rosexplain.noticed import filtered_by_cpu, has_table, noticed
from rosexplain.ordered import unique
from rosexplain.packet import parsed
from rosexplain.parse import Command, Export, Unread
from rosexplain.printed import Printed
from rosexplain.queues import binding, of_clients, of_marks
from rosexplain.remedy import MOST_TRIED, Changes, in_records
from rosexplain.rows import quoted
from rosexplain.sharing import Replaced
from rosexplain.traffic import BRIDGED, OF_EACH_PACKET
from rosexplain.uplinks import main_routes

TYPING = ("safe-mode", "undo")
"""The facts about how commands are typed so that they can be taken back."""

ETHERNET = "ethernet"
OF_RADIOS = (
    ("/interface/wireless", "/interface/wireless/registration-table/print stats"),
    ("/interface/wifi", "/interface/wifi/registration-table/print"),
)
"""By the menu of radios, what shows the signal and the rates of their links."""
LEAST_TIDY = 30
"""The lowest `notice` of what only tidies up; owners feel the effect of those below it."""
BRIDGE = "/interface/bridge"
PORT, LIST = BRIDGE + "/port", "/interface/list"
MOST_LINES = 5
"""Lines that a reason names; the rest are counted."""


OF_GATEWAYS = ("/ip/address", "/ip/dhcp-server", "/ip/firewall/nat")
"""Menus that a router has rows of if hosts send it what is for others."""


class Answer:
    """The answer as data, with the lines of the exports as they may be shown."""

    def __init__(
        self,
        explanation: Explanation,
        unread: list[Unread] | None = None,
        replaced: Replaced | None = None,
    ) -> None:
        """`unread`: of the router's own output.

        `replaced`: what the names of the exports were replaced by (`sharing`); it replaces the
        addresses too.
        """
        self.explanation = explanation
        self._replaced = replaced
        self._unread = explanation.net.rows.unread + (unread or [])
        self.base = explanation.net.base
        self.rules = explanation.net.rules.by_id
        self._changes = Changes(explanation)
        self._try = True
        self._gone: dict[str, Explanation] = {}
        """The explanations without some lines, by those lines."""
        self._devices = explanation.net.devices
        self._struck = {
            export.file: secrets.Struck(export, self._devices, explanation.net.names())
            for export in explanation.net.exports
        }

    def listing(self, most: int, marked: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
        """The lines of each export, of a long one those around `marked`: file, number, text.

        The number is 0 where the text says how many lines are left out.
        """
        return [
            (self.finished(export.file), number, self.finished(line))
            for export in self.explanation.net.exports
            for number, line in self._struck[export.file].lines(
                most, [number for file, number in marked if file == export.file]
            )
        ]

    def line(self, command: Command) -> dict[str, Any]:
        """A line of the export as it may be shown."""
        struck = self._struck.get(command.file)  # none: what a router printed
        text = struck.line(command.number) if struck else ""
        return {"file": command.file, "line": command.number, "text": text, "menu": command.menu}

    def finished(self, part: Any) -> Any:
        """A part of the answer, with the names and addresses in its texts replaced."""
        if not self._replaced:
            return part
        if isinstance(part, str):
            return self._replaced.text(part)
        if isinstance(part, (list, tuple)):
            return [self.finished(one) for one in part]
        if isinstance(part, dict):
            return {name: self.finished(part[name]) for name in part}
        return part

    def traced(self, asked: str) -> dict[str, Any]:
        """One packet, rule by rule, by its words (`packet.parsed`)."""
        if self._replaced is not None:
            asked = self._replaced.packet(asked)
        trace = trace_packet(self.explanation, parsed(asked))
        for step in trace["steps"]:
            step["line"] = self.line(step.pop("command"))
        traced: dict[str, Any] = {"asked": asked}
        traced.update(trace)
        finished: dict[str, Any] = self.finished(traced)
        return finished

    def plain(
        self, remedies: bool = True, step: Callable[[int, int], None] | None = None
    ) -> dict[str, Any]:
        """All of it; without the remedies nothing is tried, which takes most of the time.

        `step`: called with the number of classes and notes that are done, and of all.
        """
        plain: dict[str, Any] = self.finished(self._plain(remedies, step))
        if self._replaced:
            plain["replaced"] = True
        return plain

    def _plain(
        self, remedies: bool, step: Callable[[int, int], None] | None = None
    ) -> dict[str, Any]:
        self._try = remedies
        net = self.explanation.net
        contradicted = contradictions(self.explanation)
        parts: list[tuple[Callable[[Any], dict[str, Any]], Any]] = []
        parts += [(self._class, row) for row in self.explanation.classes]
        parts += [(self._note, name) for name in matching.notes(self.base, self.explanation.met)]
        done: list[dict[str, Any]] = []
        for part, about in parts:
            if step:
                step(len(done), len(parts))
            done.append(part(about))
        classes = done[: len(self.explanation.classes)]
        # A rule that is a notice too is one of the two: a note where it has commands.
        notices = [rule["id"] for rule in self.base["rules"] if "notice" in rule]
        notes = [
            note for note in done[len(classes) :] if note["commands"] or note["rule"] not in notices
        ]
        noted = [note["rule"] for note in notes]
        doubted = any(row["speaks"] == AGAINST for row in contradicted)
        return {
            "ppslab-explain": 1,
            "rules": {key: self.base[key] for key in ("version", "read_for", "read")},
            "router": {
                "version": secrets.version(net.version),
                "model": secrets.model(net.model, self._devices),
                "export": net.mode,
                "commands": sum(len(export.commands) for export in net.exports),
                "files": [export.file for export in net.exports],
                "wan": net.wan,
                "switch": net.leaves_as_it_came or net.stands_between or net.stands_aside,
                "stands_between": net.stands_between or net.stands_aside,
                "lan": net.lan,
                "chip": net.chip["name"] if net.chip else "",
                "computer": bool(net.virtual),
                "looks": self._looks(),
            },
            "fast": self.explanation.fast and not doubted,
            "without": [{"file": file, "line": line} for file, line in self.explanation.without],
            "changed": changed(self.explanation),
            "classes": classes,
            "notes": notes,
            "limits": [self._limit(limit) for limit in limits.limits(self.explanation)],
            "chip_vlans": self._chip_vlans(),
            "noticed": [self._line_of_rule(*met) for met in self._noticed() if met[0] not in noted],
            "kept": [
                {
                    "kept": name,
                    "lines": [self.line(line) for line in lines[:MOST_LINES]],
                    "more": len(lines[MOST_LINES:]),
                }
                for name, lines in kept(net, self._noticed())
            ],
            "typing": [self.base["facts"][name]["cited"] for name in TYPING],
            "untried": self._changes.untried,
            "off": [self.line(line) for line in commands.fasttrack_off(net)],
            "barred": [
                {
                    "says": self.rules[name]["decides"],
                    "helps": self._helping(name) if self._helps(name) else "",
                    "until": self.rules[name]["until"] or "",
                    "lines": [self.line(line) for line in self._changes.barred[name][:MOST_LINES]],
                    "more": len(self._changes.barred[name][MOST_LINES:]),
                }
                for name in sorted(self._changes.barred)
            ],
            "vlans_on_ports": [self.line(line) for line in self._changes.on_ports[:MOST_LINES]],
            "offload": [self._offload(name, line, seen) for name, line, seen in self._of_offload()],
            "defaults": net.used,
            "unread": [
                {"file": row.file, "line": row.number, "begins": row.begins, "why": row.why}
                for row in self._unread
            ],
            "evidence": self.explanation.seen,
            "contradicted": contradicted,
        }

    def _helping(self, name: str) -> str:
        """What would help where a rule keeps FastTrack from being a remedy; empty for nothing."""
        same = name == "fasttrack-and-marks" and "line-of-main" in self.explanation.met
        return str(self.rules["line-of-main" if same else name].get("helps", ""))

    def _helps(self, name: str) -> bool:
        """Return True if FastTrack has packets to take that leave by main, past no limit.

        Queues, also those of marks, hotspots and RADIUS would not hold for what it takes, nor
        IPsec's policies and the rules of mangle that change each packet.
        """
        net = self.explanation.net
        rows = net.rows
        if of_marks(rows) or binding(rows) or of_clients(rows) or rows.of("/ip/hotspot"):
            return False
        changing = [row for row in rows.of(commands.MANGLE)
                    if row.get("action") in OF_EACH_PACKET]  # fmt: skip
        if net.policies or any(row.get("chain") not in ("input", "output") for row in changing):
            return False
        by_main = main_routes(rows, net.kinds)
        return name != "fasttrack-and-marks" or bool(by_main)

    def _looks(self) -> dict[str, str]:
        """The commands that show what limits beside a path: the WAN's port, and the radios' hosts.

        Empty where the WAN is no Ethernet port that may be named, or no radio is on.
        """
        net = self.explanation.net
        ports = [name for name in net.wan if net.kinds.get(name, ETHERNET) == ETHERNET
                 and secrets.shows("/interface/ethernet", "name", name)]  # fmt: skip
        port = ["/interface/ethernet/monitor " + quoted(name) + " once" for name in ports]
        radio = [command for menu, command in OF_RADIOS if net.rows.where(menu, "disabled", "no")]
        return {name: spelled(net, texts[0]) if texts else ""
                for name, texts in (("port", port), ("radio", radio))}  # fmt: skip

    def _class(self, verdict: Verdict) -> dict[str, Any]:
        changes = self._changes.of_class(verdict) if self._try else []
        refused = self._changes.refused.get(verdict.traffic.name, [])
        return {
            "class": verdict.traffic.name,
            "title": verdict.traffic.title,
            "short": verdict.traffic.short,
            "translated": verdict.traffic.by_router,
            "kind": verdict.traffic.kind,
            "interfaces": verdict.traffic.members,
            "answer": verdict.answer,
            "paths": verdict.ways,
            "stations": self._stations(verdict),
            "costs": [in_records(self.base, verdict, way) for way in verdict.ways],
            "reasons": [self._reason(reason, verdict) for reason in verdict.reasons],
            "changes": changes,
            "refused": probes.without(self.explanation.net, refused),
            "asks": [spelled(self.explanation.net, ask) for ask in verdict.asks],
        }

    def _stations(self, verdict: Verdict) -> list[dict[str, Any]]:
        """The stations on the first path of what is forwarded; one of them may decide."""
        situation, way = self.explanation.situation, verdict.ways[0] if verdict.ways else ""
        forwarded = verdict.case is not None or verdict.traffic.kind == BRIDGED
        if situation is None or not forwarded or way not in decide.NAMES:
            return []
        passed = decide.stations_of(situation.case(verdict), way, self.base["stations"])
        decides = ""
        if verdict.reasons:
            reason = verdict.reasons[0]
            decides = decide.deciding_stop(verdict.ways, reason.rule, reason.fact, passed)
        return decide.plain_stops(passed, decides)

    def _costs(self, rule: dict[str, Any], lines: list[Command], verdict: Verdict | None) -> bool:
        return bool(rule["cost"]) and self._decides(lines, verdict)

    def _decides(self, lines: list[Command], verdict: Verdict | None) -> bool:
        """Return True if some class, or this one, takes another path without these lines.

        A line that changes nothing has no cost of its own to save.
        """
        explanation, net = self.explanation, self.explanation.net
        if not lines or sum(len(export.commands) for export in net.exports) > MOST_TRIED:
            return True
        gone = [(line.file, line.number) for line in lines]
        key = str(gone)
        if key not in self._gone:
            every = explanation.without + gone
            self._gone[key] = explained(net.without(every), every, explanation.evidence)
        other = self._gone[key].classes
        for one in explanation.classes if verdict is None else [verdict]:
            now = class_of(other, one.traffic)
            if now is None or (now.answer, now.ways) != (one.answer, one.ways):
                return True
        return False

    def _reason(self, reason: Reason, verdict: Verdict) -> dict[str, Any]:
        fact = self.base["facts"][reason.fact]
        rule = self.rules.get(reason.rule)
        return {
            "rule": reason.rule,
            "fact": reason.fact,
            "says": fact["says"],
            "cited": fact["cited"],
            "source": fact["source"],
            "why": reason.why,
            "lines": [self.line(line) for line in reason.lines[:MOST_LINES]],
            "more": len(reason.lines[MOST_LINES:]),
            "label": rule["label"] if rule else "",
            "closes": sorted(rule["closes"]) if rule else [],
            "cost": rule["cost"] if rule and self._costs(rule, reason.lines, verdict) else None,
        }

    def _note(self, name: str) -> dict[str, Any]:
        rule = self.rules[name]
        lines = self.explanation.met[name]
        change = self._changes.of_note(name) if self._try else remedy.change_of([])
        note = self._line_of_rule(name, lines)
        for key in (
            "commands", "row_by_row", "loses", "then", "undo", "gives_up", "given_up", "logged",
        ):  # fmt: skip
            note[key] = change[key]
        note["update"], note["needs"] = change["update"], change["needs"]
        if note["update"]:  # to the newest RouterOS 6, which takes no steps
            note["commands"] = [spelled(self.explanation.net, remedy.UPDATE)]
        note["gains"] = rule["gains"]
        note["secures"] = "refuses" in rule or "secures" in rule
        note["optional"] = "optional" in rule
        for key in ("first", "opens", "tidies"):
            note[key] = key in rule
        note["cost"] = rule["cost"] if self._costs(rule, lines, None) else None
        if name == "fasttrack-and-marks":
            net = self.explanation.net
            note["by"] = unique(main_routes(net.rows, net.kinds))
        return note

    def _line_of_rule(self, name: str, lines: list[Command]) -> dict[str, Any]:
        rule = self.rules[name]
        says = rule["decides"]
        if "names" in rule:
            every = few_of(self._names(rule["names"], lines), MOST_LINES)
            says = gettext("{ports}: {says}").format(ports=every, says=says)
        return {
            "rule": name,
            "place": rule.get("place", ""),
            "bounds": rule.get("bounds", ""),
            "effect": rule.get("notice", LEAST_TIDY) < LEAST_TIDY,
            "says": says,
            "label": rule["label"],
            "facts": [self.base["facts"][fact]["cited"] for fact in rule["facts"]],
            "lines": [self.line(line) for line in lines[:MOST_LINES]],
            "more": len(lines[MOST_LINES:]),
            "asks": [spelled(self.explanation.net, ask) for ask in rule["asks"]],
        }

    def _names(self, word: str, lines: list[Command]) -> list[str]:
        """What a rule with the word `names` names before its sentence."""
        net = self.explanation.net
        if word == "outs":
            return unique([one.out for one in leaving(net)])
        if word == "settings":
            bridges = [row for row in commands.rows_of(net, lines) if row.menu.path == BRIDGE]
            return unique([text for row in bridges for text in offload.settings(net, row)])
        if word == "spellings":
            return [" / ".join(spellings(slip)) for slip in misspelled(net)]
        if word == "services":
            return services.names(net)
        if word == "lists":
            rows = commands.rows_of(net, lines)
            names = [name for row in rows for _, name in named_by(row) if name in net.empty_lists]
            return [name if secrets.shows(LIST, "name", name) else secrets.STRUCK
                    for name in unique(names)]  # fmt: skip
        if word == "ports":
            ports = unique([line.properties["interface"] for line in lines])
            return [port if secrets.shows(PORT, "interface", port) else secrets.STRUCK
                    for port in ports]  # fmt: skip
        return [radios.in_words(net, row, word) for row in commands.rows_of(net, lines)]

    def _limit(self, limit: limits.Limit) -> dict[str, Any]:
        row = self._line_of_rule(limit.rule, limit.lines)
        row["past"], row["shared"], row["whole"] = limit.past, limit.shared, limit.whole
        return row

    def _chip_vlans(self) -> list[dict[str, Any]]:
        """The bridges whose VLANs the chip could filter, each with its commands or why not."""
        net = self.explanation.net
        if not has_table(net) or not self._try:
            return []
        return [
            {
                "lines": [self.line(row.bridge.command("vlan-filtering"))],
                "more": 0,
                "says": row.gains,
                "why": row.why,
                "choice": row.choice,
                "given_up": row.given_up,
                "logged": [],
                "commands": row.commands,
                "loses": row.loses,
                "undo": row.undo,
                "source": self.base["facts"][row.fact]["cited"],
            }
            for row in chip_vlans(net, filtered_by_cpu(net), self._routed_past_bridges())
        ]

    def _routed_past_bridges(self) -> bool:
        """Return True if the router routes packets whose path no bridge's setting decides alone.

        Where something else keeps FastTrack from them too, they are no faster without the setting.
        A device that has its addresses from the servers of others is nobody's gateway.
        """
        main, rows = self.explanation.main, self.explanation.net.rows
        if main is None or not any(rows.of(menu) for menu in OF_GATEWAYS):
            return False
        barred = [name for name in self._changes.barred if "crossed" not in self.rules[name]]
        first = [self.rules.get(one.rule, {}) for one in main.reasons[:1]]
        return bool(barred) or not any("crossed" in rule for rule in first)

    def _noticed(self) -> list[matching.Met]:
        """The rules with `notice` that hold, in its order."""
        met = dict(self.explanation.met)
        met.update(dict(noticed(self.explanation)))
        rules = [rule for rule in self.base["rules"] if "notice" in rule and rule["id"] in met]
        rules.sort(key=lambda rule: int(rule["notice"]))
        return [(rule["id"], met[rule["id"]]) for rule in rules]

    def _of_offload(self) -> list[tuple[str, Command | None, str]]:
        """Return the limits of L3 hardware offload, where the switch is asked to do it."""
        net = self.explanation.net
        rows = net.rows.of("/interface/ethernet/switch")
        if not net.chip or not any(row.get("l3-hw-offloading") == "yes" for row in rows):
            return []
        every: list[tuple[str, Command | None, str]] = []
        together = [name for name, _, _ in self.explanation.offload]
        for rule in self.base["rules"]:
            name = rule["id"]
            if name not in self.explanation.met or name in together:
                continue
            if matching.of_chip(rule, net.chip["classes"]):
                every += [(name, line, "") for line in self.explanation.met[name][:MOST_LINES]]
        return every + self.explanation.offload

    def _offload(self, name: str, line: Command | None, seen: str) -> dict[str, Any]:
        offload = self.rules[name]["offload"]
        facts = [self.base["facts"][fact] for fact in offload["facts"]]
        return {
            "rule": name,
            "effect": offload["effect"],
            "says": " ".join(fact["says"] for fact in facts),
            "cited": "; ".join(fact["cited"] for fact in facts),
            "seen": seen,
            "lines": [self.line(line)] if line else [],
        }


def answered(
    exports: list[Export],
    outputs: list[Printed],
    gone: list[tuple[str, int]],
    base: dict[str, Any],
    share: bool = False,
) -> Answer:
    """The answer about one router, by its exports and what it printed (`printed.read`).

    `gone`: lines that are left out (`left_out.left_out`); `share`: names are replaced (`sharing`).
    """
    replaced = Replaced(exports, outputs) if share else None
    if replaced is not None:
        exports, outputs, gone = replaced.exports, replaced.outputs, replaced.lines(gone)
    evidence = printed.news(exports, [line for output in outputs for line in output.commands])
    explanation = explain(exports, base, gone, evidence)
    explanation.seen = [seen for output in outputs for seen in output.seen]
    unread = [line for output in outputs for line in output.unread]
    return Answer(explanation, unread, replaced)


def with_costs(plain: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    """Put what our records say of its paths, reasons and notes into the answer, and return it.

    `plain`: of `Answer.plain()`, changed in place.  `recorded`: what the records say, by
    `cost_key`; a cost without a record becomes None.
    """
    for row in plain["classes"]:
        for paid in _paid(row):
            paid["costs"] = [recorded.get(cost_key(c)) if c else None for c in paid["costs"]]
        for reason in row["reasons"]:
            reason["cost"] = recorded.get(cost_key(reason["cost"])) if reason["cost"] else None
    for note in plain["notes"]:
        note["cost"] = recorded.get(cost_key(note["cost"])) if note["cost"] else None
    return plain


def asked_of_records(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """Every lab and condition that an answer wants to know the cost of."""
    every = [reason["cost"] for row in plain["classes"] for reason in row["reasons"]]
    for row in plain["classes"]:
        every += [cost for paid in _paid(row) for cost in paid["costs"]]
    return [cost for cost in every + [note["cost"] for note in plain["notes"]] if cost]


def _paid(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows with costs by path: a class, and itself with each of its changes."""
    return [row] + [change["then"] for change in row["changes"] if change["then"]]


def cost_key(cost: dict[str, Any]) -> str:
    """`fasttrack/rules`, or `fasttrack/rules/fasttrack` for one against another."""
    against = "/" + cost["against"] if "against" in cost else ""
    return str(cost["lab"]) + "/" + str(cost["condition"]) + against
