"""Rules that cost the CPU time for each packet: whose first packets are enough, and whose not."""

from __future__ import annotations

import pytest
from asked import LAN_AND_WAN, ask

from rosexplain.report import Answer

FILMS = f"""{LAN_AND_WAN}/ip firewall filter
add action=add-dst-to-address-list address-list=a chain=forward content=films.example
"""
GAMES = "add action=add-dst-to-address-list address-list=b chain=forward content=games\n"


@pytest.mark.parametrize(("row", "commands"), [("", 1), (" disabled=yes", 3)])
def test_one_command_for_all_leaves_a_disabled_rule_as_it_is(row: str, commands: int) -> None:
    guard = GAMES.replace("games", "secret" + row) if row else ""
    notes = Answer(ask(FILMS + GAMES + GAMES.replace("games", "toys") + guard)).plain()["notes"]
    own = [note["commands"] for note in notes if note["rule"] == "content-of-each-packet"]
    assert [len(texts) for texts in own] == [commands]
