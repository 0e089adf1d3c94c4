"""The answer as plain data, and the sentences made from it; secrets are struck out first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosexplain import (
    commands,
    decide,
    drawing,
    limits,
    matching,
    printed,
    probes,
    remedy,
    secrets,
)
from rosexplain.alike import class_of
from rosexplain.chip_vlans import chip_vlans
from rosexplain.classify import Explanation, explain, explained, trace_packet
from rosexplain.decide import DROPPED, Reason, Verdict
from rosexplain.language import N_, and_more, before_number, either, few_of, gettext, line_of
from rosexplain.noticed import filtered_by_cpu, has_table, noticed
from rosexplain.ordered import unique
from rosexplain.packet import parsed
from rosexplain.parse import Command, Export, Unread
from rosexplain.printed import Printed
from rosexplain.remedy import MOST_TRIED, Changes, in_records
from rosexplain.sharing import Replaced
from rosexplain.traffic import BRIDGED, ESTABLISHED
from rosexplain.uplinks import main_routes

UNTRIED = N_("The export is long, so some remedies were not tried and are not shown.")
TYPING = ("safe-mode", "undo")
"""The facts about how commands are typed so that they can be taken back."""
NOT_YET = N_(" (--print cannot read its output yet)")

OF_OTHERS = N_(
    "Names, public addresses and hardware addresses are replaced, so this answer can be shared. "
    "Its commands do not fit the router: do not type them there."
)

READ_BACK = (
    "/ip/settings/print, /ipv6/settings/print, /interface/bridge/settings/print, "
    "/ip/firewall/connection/tracking/print, /tool/sniffer/print, /tool/traffic-generator/print, "
    "/interface/print, /interface/print stats-detail, /interface/bridge/print, "
    "/interface/bridge/port/print, /ip/firewall/filter/print stats, /tool/profile, and any print "
    "with count-only"
)
"""The commands whose output --print takes."""

PACKET = [N_("rule"), N_("chain"), N_("matches"), N_("action"), N_("why")]
"""The head of the table of one packet, in English."""


def asks(row: dict[str, Any]) -> list[str]:
    """The commands that tell what the export cannot; marked where --print does not take them."""
    return [one + ("" if printed.readable(one) else gettext(NOT_YET)) for one in row["asks"]]


def defaults(plain: dict[str, Any]) -> list[str]:
    """Return the defaults that the answer takes for granted, with their sources."""
    return [
        row["menu"] + " " + row["property"] + "=" + row["value"] + " [" + row["source"] + "]"
        for row in plain["defaults"]
    ]


def evidence(plain: dict[str, Any]) -> list[str]:
    """Return a line for each thing that the router printed."""
    return [
        row["what"] + ": " + row["value"] + " (" + place(row) + ")" for row in plain["evidence"]
    ]


def offload(plain: dict[str, Any]) -> list[str]:
    """Return the limits of L3 hardware offload, each with the line that it is seen by."""
    lines = []
    for row in plain["offload"]:
        where = ", ".join([place(line) for line in row["lines"]]) or gettext("the export")
        seen = row["seen"] + ": " if row["seen"] else ""
        lines.append(where + ": " + seen + row["says"] + " [" + row["cited"] + "]")
    return lines


def packet_rows(packet: dict[str, Any]) -> list[list[str]]:
    """One packet, rule by rule: the cells under PACKET."""
    rows = []
    for step in packet["steps"]:
        matches = (
            gettext(step["verdict"])
            if step["sure"]
            else gettext("{verdict}, if the packet gets here").format(
                verdict=gettext(step["verdict"])
            )
        )
        chain = step["table"] + " " + step["chain"]
        rows.append([place(step["line"]), chain, matches, step["action"], ", ".join(step["why"])])
    return rows


def packet_end(packet: dict[str, Any]) -> list[str]:
    """Return the sentences about a packet, its end last."""
    left = (
        [gettext("{left} more rules are not shown.").format(left=str(packet["left"]))]
        if packet["left"]
        else []
    )
    says: list[str] = packet.get("says", [])
    path = either([path_of(way) for way in packet.get("path", [])])
    why = "".join([": " + line for line in packet.get("because", [])])
    says = ([gettext("Its path: {path}{why}").format(path=path, why=why)] if path else []) + says
    end = gettext("Result: {ended}. Fast-tracked: {fasttrack}").format(
        ended=packet["ended"], fasttrack=gettext(packet["fasttrack"])
    )
    return left + says + [end + "."]


def unread(row: dict[str, Any]) -> str:
    """A line that was not read."""
    begins = " " + row["begins"] if row["begins"] else ""
    return place(row) + begins + ": " + str(row["why"])


# A counter of nothing proves nothing where no packet came, so each finding says under what
# condition it holds.

FASTTRACKED = (decide.FASTTRACK, decide.CHIP_FASTTRACK)
BRIDGE_FAST = (decide.BRIDGE_FAST, decide.FORWARD)

AGAINST = "against"
FOR = "for"

IF_TRAFFIC = N_(
    "If such packets crossed the router in the meantime, something outside the export keeps them "
    "out of FastTrack, or the export is outdated. /ip/firewall/filter/print stats shows whether "
    "packets match the rule."
)
IF_CURRENT = N_(
    "So the export is not the whole running configuration, or it is from another router."
)
BRIDGED_FAST = N_("the answer is the bridge fast path where the switch chip does not forward")
CLOSED = N_(
    "So something outside the export closes it, such as a tool. /tool/sniffer/print shows "
    "whether the sniffer is running."
)


def contradictions(explanation: Explanation) -> list[dict[str, Any]]:
    """Each sentence of the router that does not fit: what it is about, and what follows.

    None where lines are taken as gone: that router does not run.
    """
    if explanation.without:
        return []
    rows = []
    for seen in explanation.seen:
        classes, says, then = _against(explanation, seen)
        if says:
            rows.append({"what": seen["what"], "value": seen["value"], "file": seen["file"],
                         "line": seen["line"], "classes": classes, "says": says, "then": then,
                         "speaks": seen["speaks"]})  # fmt: skip
    return rows


def sentence(seen: dict[str, Any]) -> str:
    """One of them in words."""
    where = seen["file"] + ":" + str(seen["line"])
    shown = seen["what"] + ": " + seen["value"] + " (" + where + ")"
    about = gettext(" for {classes}").format(classes="; ".join(seen["classes"]))
    about = about if seen["classes"] else ""
    but = gettext("{shown}, but {says}{about}. {then}").format(
        shown=shown, says=seen["says"], about=about, then=seen["then"]
    )
    return gettext("The running router contradicts this answer. It printed {but}").format(
        but=str(but)
    )


def _against(explanation: Explanation, seen: dict[str, Any]) -> tuple[list[str], str, str]:
    """The titles of the classes, what was said of them, and what follows; empty: it fits."""
    if seen["tells"] == "fasttrack":
        fast = _titles(explanation.classes, ESTABLISHED, seen["family"], FASTTRACKED)
        if seen["speaks"] == AGAINST and fast:
            return fast, gettext("the answer is FastTrack"), gettext(IF_TRAFFIC)
        if seen["speaks"] == FOR and not fast:
            slow = _titles(explanation.classes, ESTABLISHED, seen["family"], ())
            return slow, gettext("the answer is not FastTrack"), gettext(IF_CURRENT)
    if seen["tells"] == "fast-path":
        fast = _titles(explanation.classes, ESTABLISHED, seen["family"], (decide.FAST,))
        if seen["speaks"] == AGAINST and fast:
            return fast, gettext("the answer is the fast path"), gettext(CLOSED)
    if seen["tells"] == "bridge-fast-path" and seen["speaks"] == AGAINST:
        fast = _titles(explanation.classes, BRIDGED, 0, BRIDGE_FAST)
        if fast:
            return fast, gettext(BRIDGED_FAST), gettext(CLOSED)
    return [], "", ""


def _titles(classes: list[Verdict], kind: str, family: int, ways: tuple[str, ...]) -> list[str]:
    """The classes of a kind and a family that may take one of these ways; `()`: any way."""
    return [
        verdict.traffic.title
        for verdict in classes
        if verdict.traffic.kind == kind
        and family in (0, verdict.traffic.family)
        and (not ways or any(way in verdict.ways for way in ways))
    ]


ANSWERS = {
    "yes": N_("fast"),
    "no": N_("not fast"),
    "depends": N_("depends on the packet"),
    "unknown": N_("not known from the export"),
}
OF_PORTS = (
    "ports-left-to-cpu", "ports-with-horizon", "ports-apart", "chips-apart", "ports-by-master",
)  # fmt: skip
"""The rules about ports of a bridge that the CPU serves, which are named."""
PORT = "/interface/bridge/port"
MOST_LINES = 5
"""Lines that a reason names; the rest are counted."""


def path_of(way: str) -> str:
    """A way in words."""
    return gettext("dropped") if way == DROPPED else gettext(decide.NAMES[way])


class Answer:
    """The answer as data, with the lines of the exports as they may be shown."""

    def __init__(
        self,
        explanation: Explanation,
        hide: bool = False,
        unread: list[Unread] | None = None,
        replaced: Replaced | None = None,
    ) -> None:
        """`hide`: public addresses are struck out; `unread`: of the router's own output.

        `replaced`: what the names of the exports were replaced by (`sharing`); it replaces the
        addresses too.
        """
        self.explanation = explanation
        self._replaced = replaced
        self._unread = explanation.net.rows.unread + (unread or [])
        self.base = explanation.net.base
        self.rules = {rule["id"]: rule for rule in self.base["rules"]}
        self._changes = Changes(explanation)
        self._hide = hide
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
        """A part of the answer, with the addresses in its texts hidden or replaced."""
        if isinstance(part, str):
            if self._replaced:
                return self._replaced.text(part)
            return secrets.without_addresses(part) if self._hide else part
        if not self._hide and not self._replaced:
            return part
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
                "lan": net.lan,
                "chip": net.chip["name"] if net.chip else "",
            },
            "fast": self.explanation.fast and not doubted,
            "without": [{"file": file, "line": line} for file, line in self.explanation.without],
            "changed": remedy.changed(self.explanation),
            "classes": classes,
            "notes": notes,
            "limits": [self._limit(limit) for limit in limits.limits(self.explanation)],
            "chip_vlans": self._chip_vlans(),
            "noticed": [self._line_of_rule(*met) for met in self._noticed() if met[0] not in noted],
            "typing": [self.base["facts"][name]["cited"] for name in TYPING],
            "untried": self._changes.untried,
            "off": [self.line(line) for line in commands.fasttrack_off(net)],
            "barred": [
                {
                    "says": self.rules[name]["decides"],
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
            "asks": [commands.spelled(self.explanation.net, ask) for ask in verdict.asks],
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
        for key in ("commands", "loses", "then", "undo", "gives_up", "given_up"):
            note[key] = change[key]
        note["gains"] = rule["gains"]
        note["secures"] = "refuses" in rule
        note["cost"] = rule["cost"] if self._costs(rule, lines, None) else None
        if name == "fasttrack-and-marks":
            net = self.explanation.net
            note["by"] = unique(main_routes(net.rows, net.kinds))
        return note

    def _line_of_rule(self, name: str, lines: list[Command]) -> dict[str, Any]:
        rule = self.rules[name]
        says = rule["decides"]
        if name in OF_PORTS:
            names = [line.properties["interface"] for line in lines]
            shown = [
                name if secrets.shows(PORT, "interface", name) else secrets.STRUCK for name in names
            ]
            ports = few_of(shown, MOST_LINES)
            says = gettext("{ports}: {says}").format(ports=ports, says=says)
        return {
            "rule": name,
            "says": says,
            "label": rule["label"],
            "facts": [self.base["facts"][fact]["cited"] for fact in rule["facts"]],
            "lines": [self.line(line) for line in lines[:MOST_LINES]],
            "more": len(lines[MOST_LINES:]),
            "asks": [commands.spelled(self.explanation.net, ask) for ask in rule["asks"]],
        }

    def _limit(self, limit: limits.Limit) -> dict[str, Any]:
        row = self._line_of_rule(limit.rule, limit.lines)
        row["past"] = limit.past
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
                "commands": row.commands,
                "loses": row.loses,
                "undo": row.undo,
                "source": self.base["facts"][row.fact]["cited"],
            }
            for row in chip_vlans(net, filtered_by_cpu(net))
        ]

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
    hide: bool = False,
) -> Answer:
    """The answer about one router, by its exports and what it printed (`printed.read`).

    `gone`: lines that are left out (`remedy.left_out`); `share`: names are replaced (`sharing`).
    """
    replaced = Replaced(exports, outputs) if share else None
    if replaced is not None:
        exports, outputs, gone = replaced.exports, replaced.outputs, replaced.lines(gone)
    evidence = printed.news(exports, [line for output in outputs for line in output.commands])
    explanation = explain(exports, base, gone, evidence)
    explanation.seen = [seen for output in outputs for seen in output.seen]
    unread = [line for output in outputs for line in output.unread]
    return Answer(explanation, hide, unread, replaced)


def replaced(plain: dict[str, Any]) -> list[str]:
    """The warning that commands of an answer for others do not fit the router."""
    return [gettext(OF_OTHERS)] if plain.get("replaced") else []


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


def paths_in_words(paths: list[str], answer: str) -> str:
    """The paths of a class in one phrase."""
    return either([path_of(way) for way in paths]) + " (" + gettext(ANSWERS[answer]) + ")"


def costs_in_words(paths: list[str], costs: list[Any]) -> list[str]:
    """Return a packet's cost on each path of a class, where a record has it."""
    words = []
    for index in range(len(paths)):
        cost = costs[index]
        if cost:
            words.append(path_of(paths[index]) + ": " + cost["cost"] + " (" + cost["of"] + ")")
    return words


def promised(row: dict[str, Any]) -> str:
    """The path of a class with a remedy; empty for a note's."""
    then = row["then"]
    if not then or "paths" not in then:
        return ""
    costs = [cost["cost"] for cost in then["costs"] if cost and "cost" in cost]
    text = paths_in_words(then["paths"], then["answer"])
    return text + (gettext(", {costs} a packet").format(costs=either(costs)) if costs else "")


def place(line: dict[str, Any]) -> str:
    """`router.rsc:12`; `line 12` where there is one export alone (`named`)."""
    if not line["file"]:
        return line_of(line["line"])
    return str(line["file"]) + ":" + str(line["line"])


def named(plain: dict[str, Any]) -> dict[str, Any]:
    """The answer with lines named as people read them: by number, the file's name said once.

    Of several exports the last part of each one's path stays.
    """
    files: list[str] = plain["router"]["files"]
    ends = [file.replace("\\", "/").rpartition("/")[2] for file in files]
    short = {file: "" if len(files) == 1 else ends[n] for n, file in enumerate(files)}
    copy: dict[str, Any] = _named(plain, short)
    copy["router"]["files"] = ends
    return copy


def _named(part: Any, short: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [_named(one, short) for one in part]
    if not isinstance(part, dict):
        return part
    copy: dict[str, Any] = {}
    for name in part:
        value = part[name]
        if name == "file" and value in short:
            copy[name] = short[value]
        elif name == "loses":
            copy[name] = _shortened(value, short)
        elif name in ("given_up", "refused"):
            copy[name] = [_shortened(text, short) for text in value]
        else:
            copy[name] = _named(value, short)
    return copy


def _shortened(text: str, short: dict[str, str]) -> str:
    """Return a loss in words, with the places in it."""
    for file, name in short.items():
        begins = name + ":" if name else before_number()
        for before in ("(", ", "):
            text = text.replace(before + file + ":", before + begins)
    return text


def because(reason: dict[str, Any]) -> str:
    """A reason in one sentence, with what of the configuration it is about."""
    says = str(reason["says"])
    if not reason["why"]:
        return says
    about = " (" + str(reason["why"]) + ")"
    return says[:-1] + about + "." if says.endswith(".") else says + about


def quoted(line: dict[str, Any]) -> str:
    """A line of an export as it is quoted by itself: with its menu."""
    return secrets.with_menu(line["text"], line["menu"])


def scene(plain: dict[str, Any], row: dict[str, Any]) -> drawing.Scene:
    """A class of an answer whose lines are named as people name them (`named`)."""
    router = plain["router"]
    version = "RouterOS " + router["version"] if router["version"] else ""
    of = ", ".join([part for part in (router["model"], version) if part])
    rule = where = ""
    if row["reasons"]:
        reason = row["reasons"][0]
        rule = reason["label"] or reason["why"] or reason["says"]
        if reason["lines"] and reason["lines"][0]["text"]:
            rule = quoted(reason["lines"][0])
            where = place(reason["lines"][0])
    verdict = paths_in_words(row["paths"], row["answer"])
    verdict = verdict[:1].upper() + verdict[1:]
    title = row["title"][:1].upper() + row["title"][1:]
    return drawing.Scene(title, verdict, of, row["paths"][0], row["stations"], rule, where)


NO_PICTURE = "nothing to draw, since no packets are forwarded by a known path"


def picture(plain: dict[str, Any], name: str) -> str:
    """The drawing of the class `name`, or else of the first that has one; empty for none."""
    rows = [row for row in plain["classes"] if row["stations"]]
    named = [row for row in rows if row["class"] == name]
    return drawing.wide(scene(plain, (named or rows)[0])).svg() if rows else ""


def deciding(plain: dict[str, Any]) -> list[tuple[str, int]]:
    """File and number of every line that an answer names as its reason."""
    places = []
    for row in plain["classes"]:
        for reason in row["reasons"]:
            places += [(line["file"], line["line"]) for line in reason["lines"]]
    return places


def on_ports(plain: dict[str, Any]) -> str:
    """The VLANs for which alone the switch chip does not route."""
    return gettext(
        "The switch chip of this device can route, but these VLANs must first move "
        "to a bridge with vlan-filtering=yes: {value}."
    ).format(value=", ".join([place(line) for line in plain["vlans_on_ports"]]))


def at_lines(row: dict[str, Any]) -> str:
    """` (line 12, line 14 and 3 more)`; empty without lines."""
    if not row["lines"]:
        return ""
    more = " " + and_more(row["more"]) if row["more"] else ""
    return " (" + ", ".join([place(line) for line in row["lines"]]) + more + ")"


def barred(plain: dict[str, Any]) -> list[str]:
    """Return the bars to FastTrack as a remedy."""
    text = gettext("FastTrack does not help here. {value}{row}.")
    return [
        quoting(row, text.format(value=row["says"].rstrip("."), row=at_lines(row)))
        for row in plain["barred"]
    ]


def quoting(row: dict[str, Any], sentence: str) -> str:
    """The sentence, with the first of the lines that it is about."""
    first = row["lines"][0] if row["lines"] else None
    return sentence[:-1] + ": " + quoted(first) if first and first["text"] else sentence


PASSED_BY = {
    "": N_("Limited by {label}{lines}."),
    decide.FASTTRACK: N_("FastTrack bypasses {label}{lines}."),
    decide.FAST: N_("The fast path bypasses {label}{lines}."),
    decide.CHIP: N_("What the switch chip forwards is not limited by {label}{lines}."),
}
"""The sentences about a limit, by the path past it."""


def limited(plain: dict[str, Any]) -> list[str]:
    """Return the limits that the export itself sets, each with its lines, and what shows more.

    Queues that FastTrack bypasses are a note, where one is there (`unlimited`).
    """
    sentences = []
    noted = any(note["rule"] == "fasttrack-and-queues" for note in plain["notes"])
    for limit in plain["limits"]:
        queue = limit["lines"][0]["menu"].startswith("/queue/")
        if noted and queue and limit["past"]:
            continue
        text = gettext(PASSED_BY[limit["past"]])
        text = text.format(label=limit["label"], lines=at_lines(limit))
        sentences.append(quoting(limit, text))
        sentences += [] if limit["past"] else to_see(limit)
    return sentences


def to_see(row: dict[str, Any]) -> list[str]:
    """Return the commands that show more of a limit."""
    return [gettext("To see it: {command}").format(command=ask) for ask in row["asks"]]


def noticed_lines(plain: dict[str, Any]) -> list[str]:
    """Return what was noticed beside the answer, each with its lines."""
    lines = [row["says"].rstrip(".") + at_lines(row) + "." for row in plain["noticed"]]
    return [row["why"] + at_lines(row) + "." for row in plain["chip_vlans"] if row["why"]] + lines


def unlimited(plain: dict[str, Any]) -> list[str]:
    """Queues that limit nobody, because FastTrack bypasses them."""
    sentences = []
    for note in plain["notes"]:
        if note["rule"] == "fasttrack-and-queues":
            queues = [place(line) for line in note["lines"][1:]]
            queues += [and_more(note["more"])] if note["more"] else []
            where = ", ".join(queues)
            sentences.append(
                gettext("These queues do not limit fast-tracked packets: {where}.").format(
                    where=where
                )
            )
    return sentences


def misrouted(plain: dict[str, Any]) -> list[str]:
    """The rules of mangle whose table fast-tracked packets do not take, and where they leave."""
    sentences = []
    for note in plain["notes"]:
        if note["rule"] == "fasttrack-and-marks":
            by = gettext(" (via {ways})").format(ways=either(note["by"])) if note["by"] else ""
            where = ", ".join([place(line) for line in note["lines"][1:]])
            where += " " + and_more(note["more"]) if note["more"] else ""
            sentences.append(
                gettext(
                    "The first packets of a connection use the routing table of their mangle mark "
                    "({where}). Once a connection is fast-tracked, its packets bypass mangle and "
                    "use the main table{by}."
                ).format(where=where, by=by)
            )
    return sentences


def without(plain: dict[str, Any]) -> list[str]:
    """Return the differences without the lines that were left out."""
    if not plain["without"]:
        return []
    gone = ", ".join([place(line) for line in plain["without"]])
    sentences = []
    for row in plain["changed"]:
        sentences.append(
            gettext("Without {lines}, {title}: {after}; with all lines: {before}.").format(
                lines=gone, title=row["title"], after=_was(row["after"]), before=_was(row["before"])
            )
        )
    return sentences or [
        gettext("Without {lines}, no packets change their path.").format(lines=gone)
    ]


def _was(answer: Any) -> str:
    return paths_in_words(answer[1], answer[0]) if answer else gettext("no such packets")
