"""Shapes that public exports have, with made-up names: lines that are no menus, CHRs, odd ports."""

from __future__ import annotations

from rosexplain.parse import parsed

HEAD = "# 2026-11-20 10:00:00 by RouterOS 7.20.8\n"
RB = HEAD + "# model = RB5009UG+S+\n"
DROP = "add action=drop chain=forward\n"


# --- lines that are no menu -----------------------------------------------------------------------


def test_what_stands_behind_the_end_of_a_quote_is_no_name() -> None:
    text = (
        RB + '/ip firewall nat\nadd action=masquerade chain=srcnat out-interface="wan A"/ip'
        " firewall filter\n" + DROP
    )
    export = parsed(text, "r")
    assert [each.number for each in export.unread] == [4]
    masquerade, drop = export.commands
    assert masquerade.properties["out-interface"] == "wan A"
    assert "firewall" not in masquerade.properties
    assert drop.menu == "/ip/firewall/filter"


# --- ports of bridges -----------------------------------------------------------------------------
