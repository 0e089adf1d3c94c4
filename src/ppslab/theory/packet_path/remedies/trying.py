"""What would change the answer, tried: the configuration is asked again with the commands in it."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import matching
from ppslab.theory.packet_path.explain.asking import Explained, explain
from ppslab.theory.packet_path.explain.deciding import FAST, UNKNOWN, YES, Decided
from ppslab.theory.packet_path.explain.joining import class_of
from ppslab.theory.packet_path.explain.network import FASTTRACK
from ppslab.theory.packet_path.explain.traffic import PROTECTED
from ppslab.theory.packet_path.exports.reading import parsed
from ppslab.theory.packet_path.remedies import commands as remedies

TYPED = "typed"
"""The file that a remedy's commands are said to be of."""

MOST_TRIED = 1000
"""Commands of the exports beyond which no change is tried: each asks everything once more."""

UPDATE = "/system/package/update/install"


class Changes:
    """The changes for what was found, each tried once."""

    def __init__(self, found: Explained) -> None:
        self.found = found
        self.rules = {rule["id"]: rule for rule in found.net.base["rules"]}
        self._tried: dict[str, Explained] = {}
        self._few = sum(len(export.commands) for export in found.net.exports) <= MOST_TRIED

    def of_class(self, each: Decided) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """The changes that lead somewhere, alone or together, and what all of them make."""
        changes = self._of_class(each)
        together = self._together(each, changes)
        if together is None:
            changes = [one for one in changes if one["then"] is None or one["then"]["better"]]
        for one in changes:
            one["commands"] = [remedies.spelled(self.found.net, text) for text in one["commands"]]
        return changes, together

    def _of_class(self, each: Decided) -> list[dict[str, Any]]:
        """What would make a class of packets faster: commands, what is lost, what it is then."""
        made: list[dict[str, Any]] = []
        if each.answer == YES or each.traffic.kind == PROTECTED:
            return made
        for reason in each.reasons:
            rule = self.rules.get(reason.rule)
            if not rule or not rule["remedy"] or not self._open(reason.rule):
                continue
            packet, family = each.traffic.packet, each.traffic.family
            said = remedies.commands(self.found.net, rule, reason.lines, packet, family)
            if any(FASTTRACK in text for text in said) and not self._known(family):
                said = [UPDATE] + said
            if said and said not in [one["commands"] for one in made]:
                change = self._change(reason.rule, said)
                change["then"] = self._then(each, said)
                made.append(change)
        return made

    def _together(self, each: Decided, changes: list[dict[str, Any]]) -> dict[str, Any] | None:
        """What all of them make of a class, where no one of them is enough."""
        if len(changes) < 2 or any(c["then"] and c["then"]["answer"] == YES for c in changes):
            return None
        then = self._then(each, [text for change in changes for text in change["commands"]])
        return then if then and then["better"] else None

    def of_note(self, name: str) -> dict[str, Any]:
        """What would make a note needless; `then` says whether it would."""
        rule = self.rules[name]
        main = next(each for each in self.found.classes if each.traffic.name == "established")
        net = self.found.net
        said = remedies.commands(net, rule, self.found.met[name], main.traffic.packet, 4)
        change = self._change(name, said)
        if said and self._few:
            change["then"] = {"gone": name not in self._with(said).met}
        change["commands"] = [remedies.spelled(net, text) for text in said]
        return change

    def _change(self, name: str, said: list[str]) -> dict[str, Any]:
        return {
            "rule": name,
            "commands": said,
            "loses": self.rules[name]["loses"] if said else "",
            "then": None,
        }

    def _open(self, name: str) -> bool:
        """Whether a remedy is not there already: FastTrack, or tracking that nobody forced."""
        met = self.found.met
        there = {"rules": "fasttrack", "nat": "fasttrack", "rules-ipv6": "fasttrack-ipv6"}
        return there.get(name, "") not in met and (name != "tracking" or name in met)

    def _known(self, family: int) -> bool:
        """Whether this RouterOS has FastTrack for a family."""
        net = self.found.net
        return matching.has_fasttrack(net.base, net.numbers, family)

    def _then(self, each: Decided, said: list[str]) -> dict[str, Any] | None:
        if not self._few:
            return None
        again, net = self._with(said), self.found.net
        other = class_of(again.classes, each.traffic)
        if other is None:
            return None
        better = _rank(other) > _rank(each)
        then = {"answer": other.answer, "paths": other.ways, "better": better}
        then["costs"] = [in_records(net.base, other, way) for way in other.ways]
        return then

    def _with(self, said: list[str]) -> Explained:
        text = "\n".join(said)
        if text not in self._tried:
            net = self.found.net
            more = parsed(text, TYPED).commands
            version = net.base["read_for"] if UPDATE in said else net.version
            self._tried[text] = explain(
                net.exports, net.base, self.found.without, self.found.evidence + more, version
            )
        return self._tried[text]


def in_records(base: dict[str, Any], each: Decided, way: str) -> dict[str, Any] | None:
    """The lab and the condition whose packets take this way; None where no lab has it."""
    case = each.case
    if case is None or each.answer == UNKNOWN:
        return None
    for row in base["paths"]:
        wanted = [way, case.way, each.traffic.family, case.tracked]
        if [row["path"], row["way"], row["family"], row["tracked"]] == wanted:
            return {"lab": row["lab"], "condition": row["condition"]}
    return None


def _rank(each: Decided) -> list[int]:
    """Greater where more is fast: the answer, then the ways."""
    fast = len([way for way in each.ways if way in FAST])
    answers = ["no", "unknown", "depends", "yes"]
    slow = each.ways[-1] in (packet_way.SLOW, "dropped")
    return [answers.index(each.answer), fast - len(each.ways), 0 if slow else 1]
