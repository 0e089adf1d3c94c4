"""What is typed once: the pair of FastTrack's rules, one command for rows alike, what is lost."""

from __future__ import annotations

from typing import Any

import pytest
from asked import HEAD, ask

from rosexplain import sentences
from rosexplain.report import Answer
from rosexplain.summary import summary

NAT = """/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/ip firewall filter
"""
ESTABLISHED = "add action=accept chain=forward connection-state=established,related\n"
DROP = "add action=drop chain=forward dst-port=25 protocol=tcp\n"
HOTSPOT = "/interface bridge\nadd name=b\n/ip address\nadd address=10.5.50.1/24 interface=b\n"
HOTSPOT += "/ip hotspot\nadd disabled=no interface=b name=h\n"


def short_of(text: str) -> dict[str, Any]:
    """The short answer about an export."""
    return summary(sentences.named(Answer(ask(text)).plain()), None)


@pytest.mark.parametrize(
    ("rules", "actions"),
    [
        ("", ["fasttrack-connection", "accept"]),
        (DROP, ["drop", "fasttrack-connection", "accept"]),
        (ESTABLISHED, ["fasttrack-connection", "accept"]),
        (ESTABLISHED + DROP, ["fasttrack-connection", "accept", "drop"]),
        (
            ESTABLISHED.replace("related", "related src-address=192.168.88.0/24") + DROP,
            ["fasttrack-connection", "accept", "drop"],  # the drop holds for the others
        ),
        # Nothing is behind a rule that leaves the hotspot's hosts out.
        (HOTSPOT, ["fasttrack-connection"]),
    ],
    ids=["no rule", "a drop before it", "one is there", "one is there, and a drop",
         "one is there for some", "some left out"],
)  # fmt: skip
def test_an_accept_rule_follows_a_fasttrack_rule(rules: str, actions: list[str]) -> None:
    typed = [command for thing in short_of(HEAD + NAT + rules)["to_do"]
             for command in thing["commands"] if "/filter/" in command]  # fmt: skip
    after = ask(HEAD + NAT + rules, "\n".join(typed))
    rows = [row for row in after.net.rows.of("/ip/firewall/filter")
            if row.get("chain") == "forward"]  # fmt: skip
    assert [row.get("action", "accept") for row in rows] == actions
    assert len({row.get("connection-state") for row in rows if row.get("connection-state")}) == 1


PORTS = "/interface bridge\nadd name=b\n/interface bridge port\n"
PORTS += "".join(f"add bridge=b hw=no interface=ether{n}\n" for n in (2, 3, 4))


@pytest.mark.parametrize(
    ("more", "commands"),
    [
        ("", ["set [find hw=no] hw=yes"]),
        (
            "add bridge=b disabled=yes hw=no interface=ether5\n",
            [f"set [find interface=ether{n}] hw=yes" for n in (2, 3, 4)],
        ),
    ],
    ids=["just these rows", "another row has it too"],
)
def test_rows_that_get_the_same_are_one_command(more: str, commands: list[str]) -> None:
    model = "# 2026-01-01 10:00:00 by RouterOS 7.20\n# model = RB750Gr3\n"
    changes = [note for note in Answer(ask(model + PORTS + more)).plain()["notes"]
               if note["rule"] == "ports-left-to-cpu"]  # fmt: skip
    typed = [text for change in changes for text in change["commands"]]
    assert typed == ["/interface/bridge/port/" + text for text in commands]
    # Each row has its own way back, as another one may have had the new value before.
    assert [text.rpartition(" ")[2] for change in changes for text in change["undo"]] == [
        "hw=no"
    ] * 3


RADIO = "/interface wifi\nset [ find default-name=wifi1 ] configuration.mode=ap disabled=no\n"
FASTTRACKED = NAT + ESTABLISHED.replace("accept", "fasttrack-connection")


@pytest.mark.parametrize(
    ("more", "looks"),
    [
        ("", ["/interface/ethernet/monitor ether1 once"]),
        (RADIO, ["Test by cable", "/interface/ethernet/monitor ether1 once",
                 "/interface/wifi/registration-table/print"]),
        (RADIO.replace("disabled=no", "disabled=yes"),
         ["/interface/ethernet/monitor ether1 once"]),
    ],
    ids=["no radio", "a radio", "a radio that is off"],
)  # fmt: skip
def test_where_nothing_is_to_change_two_commands_show_what_decides(
    more: str, looks: list[str]
) -> None:
    nothing = short_of(HEAD + FASTTRACKED + more)["nothing"]
    assert [one for one in looks if one not in nothing] == []
    assert ("registration-table" in nothing) == (len(looks) > 1)


KIDS = "add action=drop chain=forward comment=bedtime disabled=yes src-address=192.168.88.40\n"
BEDTIME = '/system scheduler\nadd interval=1d name=a on-event="/ip firewall filter {} [find]"\n'
LISTED = "add action=drop chain=forward dst-address-list=caught\n"
FILLED = "/system scheduler\nadd name=a on-event="
FILLED += '"/ip firewall address-list add list={} address=a.example"\n'


@pytest.mark.parametrize(
    ("more", "words", "at_a_price"),
    [
        (KIDS + BEDTIME.format("enable"), "that a script switches on", True),
        (KIDS + BEDTIME.format("print"), "that a script switches on", None),
        (KIDS.replace("disabled", "connection-state=new disabled") + BEDTIME.format("enable"),
         "that a script switches on", None),
        (KIDS.replace("=forward", "=input") + BEDTIME.format("enable"),
         "that a script switches on", None),
        (LISTED + FILLED.format("caught"), "by lists that fill later", False),
        (LISTED + FILLED.format("others"), "by lists that fill later", None),
        (DROP.replace("chain", "connection-state=!invalid chain"),
         "filter for fast-tracked", False),
        (DROP.replace("chain", "connection-state=!established,related chain"),
         "filter for fast-tracked", None),
    ],
    ids=["a timetable", "only read", "of new ones", "for the router", "a list", "another list",
         "all but the invalid", "all but the established"],
)  # fmt: skip
def test_what_ends_running_connections_is_lost_with_fasttrack(
    more: str, words: str, at_a_price: bool | None
) -> None:
    classes = Answer(ask(HEAD + NAT + more)).plain()["classes"]
    changes = [change for row in classes if row["class"] == "established"
               for change in row["changes"]
               if any("fasttrack" in text for text in change["commands"])]  # fmt: skip
    assert [words in change["loses"] for change in changes] == [at_a_price is not None]
    assert [any(words in one for one in change["given_up"]) for change in changes] == [
        bool(at_a_price)
    ]


def test_what_is_refused_names_no_line_that_was_only_tried() -> None:
    rules = "add action=accept chain=forward in-interface=ether2\nadd action=drop chain=forward\n"
    policy = "/ip ipsec peer\nadd address=203.0.113.9/32 name=b\n/ip ipsec policy\n"
    policy += "add dst-address=10.1.0.0/24 peer=b src-address=192.168.88.0/24 tunnel=yes\n"
    classes = Answer(ask(HEAD + NAT + rules + policy)).plain()["classes"]
    refused = [words for row in classes for words in row["refused"]]
    assert refused and not [words for words in refused if "typed:" in words]


def test_two_networks_are_not_fast_between_them_if_one_is_left_out() -> None:
    lans = "/interface bridge\nadd name=b\nadd name=c\n/ip address\n"
    lans += "add address=10.5.50.1/24 interface=b\n"
    hotspot = "/ip hotspot\nadd disabled=no interface=b name=h\n"
    third = "/ip address\nadd address=10.6.50.1/24 interface=c\n"
    texts = (lans + third, lans + hotspot, lans + third + hotspot)
    gains = [short_of(HEAD + NAT + text)["to_do"][0]["gain"] for text in texts]
    assert ["Between LAN networks" in gain for gain in gains] == [True, False, True]
    assert all("FastTrack" in gain for gain in gains)
