"""How a packet ends, and the rules that only perhaps match it and would end it otherwise."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.firewall import ENDS, MOST_JUMPS, MOST_STEPS
from ppslab.theory.packet_path.explain.matchers import NO, YES, against
from ppslab.theory.packet_path.explain.network import REFUSES, Network
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row

DECIDES = ENDS + ("jump", "return")
MOST_NAMED = 4
"""Lines that a sentence names; the rest are counted."""

DOES = {"accept": "accepts", "drop": "drops", "reject": "rejects", "tarpit": "tarpits",
        "return": "returns"}  # fmt: skip

Doubt = Any  # tuple[Row, str]: a rule that perhaps matches, and its action


class Ending:
    """`action`: how it ends if no rule matches that only perhaps does; `unless`: those rules."""

    def __init__(self, action: str = "accept") -> None:
        self.action = action
        self.table = ""
        """The table in which it is refused."""
        self.unless: list[Doubt] = []
        self.doubted: list[str] = []
        """The tables that have a rule which perhaps refuses it."""
        self.cut = False
        """Whether there were more rules than are followed."""

    @property
    def refuses(self) -> bool:
        """Whether it gets no further."""
        return self.action in REFUSES

    def words(self, net: Network) -> str:
        """`accept, unless line 28 drops it`."""
        if self.cut:
            return "not known: more than " + str(MOST_STEPS) + " rules were followed"
        if not self.unless:
            return self.action
        said: list[str] = []
        for action, does in DOES.items():
            lines = [place_of(net, row.first) for row, each in self.unless if each == action]
            more = len(lines) - MOST_NAMED
            lines = lines[:MOST_NAMED] + ([str(more) + " more"] if more > 0 else [])
            if lines:
                said.append(" or ".join(lines) + " " + does + (" it" if action in ENDS else ""))
        return self.action + ", unless " + ", or ".join(said)


def place_of(net: Network, command: Command) -> str:
    """`line 28`; with its file where there are several."""
    files = [export.file for export in net.exports]
    if files == [command.file]:
        return "line " + str(command.number)
    return command.place


def ending_of(net: Network, tables: list[Any]) -> Ending:
    """How it ends after these tables, each with its chain and the packet as it is there."""
    found = Ending()
    for table, chain, packet in tables:
        asked = _Asked(net, packet, net.firewall_of(packet.family).chains[table])
        asked.walk(chain, 0, False)
        found.cut = found.cut or asked.cut
        if asked.end in REFUSES:
            found.action, found.table = asked.end, table
            found.unless = [each for each in asked.perhaps if each[1] not in REFUSES]
            return found
        doubts = [each for each in asked.perhaps if each[1] != "accept"]
        found.unless += doubts
        found.doubted += [table] if doubts else []
    return found


class _Asked:
    """One table: `end` is the action that ends it where no rule matches that only perhaps does."""

    def __init__(self, net: Network, packet: Packet, chains: dict[str, list[Row]]) -> None:
        self.net = net
        self.packet = packet
        self.chains = chains
        self.end = ""
        self.perhaps: list[Doubt] = []
        self.count = 0
        self.cut = False

    def walk(self, name: str, depth: int, maybe: bool) -> bool:
        """Whether all that enter a chain end in it; `maybe`: they enter it only perhaps."""
        for row in self.chains.get(name, []):
            self.count += 1
            if depth > MOST_JUMPS or self.count > MOST_STEPS:
                self.cut = True
                return False
            action = row.get("action", "accept")
            if action not in DECIDES:
                continue
            verdict, _ = against(self.net, row, self.packet, self.packet.family)
            if verdict == NO:
                continue
            sure = verdict == YES
            if action == "jump":
                ended = self.walk(row.get("jump-target"), depth + 1, maybe or not sure)
                if ended and sure:
                    return True
            elif action == "return":
                if sure:
                    return False
                self._doubt(row, action)
            elif sure and not maybe:
                self.end = action
                return True
            else:
                self._doubt(row, action)
                if sure:
                    return True
        return False

    def _doubt(self, row: Row, action: str) -> None:
        if not [each for each, _ in self.perhaps if each is row]:
            self.perhaps.append((row, action))
