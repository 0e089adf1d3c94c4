# ruff: noqa: E501  (exports have long lines)
"""The reader of exports: lines, quotes, selections, menus; and what it does not understand."""

from __future__ import annotations

import random

import pytest
from asked import ask

from rosexplain import secrets
from rosexplain.base import rules
from rosexplain.noticed import noticed
from rosexplain.parse import parsed
from rosexplain.report import Answer
from rosexplain.rows import rows_of
from rosexplain.summary import to_do

SECRET = "hunter2hunter2"


def only(text: str):
    (command,) = parsed(text, "r.rsc").commands
    return command


@pytest.mark.parametrize(
    "text",
    [
        "/ip firewall filter\nadd chain=forward action=drop",
        "/ip/firewall/filter\nadd chain=forward action=drop",
        "/ip firewall filter add chain=forward action=drop",
        "/ip/firewall/filter/add chain=forward action=drop",
        "/ip firewall\nfilter add chain=forward action=drop",
        "[admin@MikroTik] > /ip firewall filter add chain=forward action=drop\r\n",
    ],
)
def test_every_form_of_a_command_is_the_same(text: str) -> None:
    command = only(text)
    assert (command.menu, command.command) == ("/ip/firewall/filter", "add")
    assert command.properties == {"chain": "forward", "action": "drop"}


def test_names_that_begin_with_a_dot_are_whole() -> None:
    assert only("/routing bgp connection\nadd remote.address=192.0.2.1 .as=65001").properties == {
        "remote.address": "192.0.2.1",
        "remote.as": "65001",
    }


@pytest.mark.parametrize("words", ["fib name=to-b", "name=to-b fib", "disabled=no fib name=to-b"])
def test_a_flag_of_an_add_may_come_first(words: str) -> None:
    command = only("/routing table\nadd " + words)
    assert (command.properties["fib"], command.properties["name"]) == ("yes", "to-b")
    assert command.selected == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (":local a 1", "a script"),
        ("{ /ip address }", "a script"),
        ('/ip address\nadd comment="never ends', "unclosed"),
        ("/ip firewall filter\nmove 3 destination=0", "destination"),
        ("/ip address\nset [ find address in 10.0.0.0/8 ] disabled=yes", "selection"),
        ("/ip address\nremove [find comment~\"(a+)+\"]", "selection"),
        ("/ip address\nremove [find (comment=a]", "selection"),
        ("/ip address\nremove [find name=$x]", "selection"),
        ("/system reboot now=1", "unknown verb"),
        ("/tool profile", "unsupported command"),
        ("/interface Newer", "unsupported command"),
        ("/newer", "unsupported command"),
        ("/interface newer", "unknown menu"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said(line: str, why: str) -> None:
    unread = rows_of([parsed(line, "r.rsc")]).unread
    assert any(why in each.why for each in unread)
    assert all(each.number for each in unread)


FIVE = """/ip firewall filter
add chain=forward action=accept comment="in, ipsec policy" ipsec-policy=in,ipsec
add chain=forward action=accept comment="out, ipsec policy" ipsec-policy=out,ipsec
add chain=forward action=fasttrack-connection comment=defconf disabled=no
add chain=input action=drop in-interface-list=!LAN disabled=yes
add chain=input action=jump limit=50
"""


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        ('where comment~"ipsec policy"', "01"),
        ('comment~"^out"', "1"),
        ('comment ~ "policy$"', "01"),
        ('comment~"^(defconf|x)$"', "2"),
        ('comment~"in,|defconf"', "02"),
        ('ipsec-policy~"[no]ut*,i"', "1"),
        ('comment!="defconf"', "0134"),
        ("action!=accept and chain=forward", "2"),
        ("chain=input or action=fasttrack-connection", "234"),
        ('chain=forward (action=drop or comment="defconf")', "2"),
        ("chain=forward && !(action=accept || action=drop)", "2"),
        ("disabled=no", "0124"),
        ("where !disabled", "0124"),
        ("disabled", "3"),
        ("disabled=yes or disabled=true", "3"),
        ("dynamic=no chain=input", "34"),
        ("in-interface-list=!LAN", "3"),
        ("limit>=50", "4"),
        ("limit<50", ""),
        ("where", "01234"),
        ("", "01234"),
    ],
)
def test_a_selection_means_what_it_means_to_routeros(where: str, numbers: str) -> None:
    rows = rows_of([parsed(FIVE + "set [find " + where + "] log=yes", "r.rsc")])
    assert rows.unread == []
    logged = [str(at) for at, row in enumerate(rows.all_of("/ip/firewall/filter"))
              if row.get("log")]  # fmt: skip
    assert "".join(logged) == numbers


@pytest.mark.parametrize(
    ("command", "order"),
    [
        ('move [find comment~"out,"] destination=[find comment~"^in"]', "10234"),
        ("move [find action=jump] [find chain=forward and disabled=no]", "40123"),
        ("add chain=x place-before=[find action~fasttrack]", "01+234"),
        ("add chain=x place-before=[:pick [find chain=input or comment=defconf] 1]", "012+34"),
        ('remove [find comment~"policy"]', "234"),
    ],
)
def test_a_selection_says_what_is_moved_and_where_to(command: str, order: str) -> None:
    rows = rows_of([parsed(FIVE + command, "r.rsc")])
    assert rows.unread == []
    lines = [row.first.number for row in rows.all_of("/ip/firewall/filter")]
    assert "".join("+" if line > 6 else str(line - 2) for line in lines) == order


def test_selections_find_rename_and_remove() -> None:
    text = """/interface ethernet
set [ find default-name=ether1 ] name=wan
set [ find default-name=ether2 ] name=lan
/interface list member
add interface=wan list=WAN
add interface=lan list=LAN
/ip firewall filter
add action=drop chain=forward comment=a
add action=drop chain=forward comment=b
disable [find comment=a]
set 1 chain=input
remove [find where comment=b]
add action=accept chain=forward
set [find] log=yes
add action=accept chain=output
"""
    rows = rows_of([parsed(text, "r.rsc")])
    assert [row.name for row in rows.of("/interface/ethernet")] == ["wan", "lan"]
    left = rows.of("/ip/firewall/filter")
    assert [(row.get("chain"), row.get("log")) for row in left] == [
        ("forward", "yes"),
        ("output", ""),
    ]
    assert [row.first.number for row in left] == [13, 15]


def test_secrets_are_struck_out() -> None:
    text = f"""# serial number = {SECRET}
# {SECRET}
/interface wireguard
add private-key="{SECRET}=" name=wg1
/ppp secret
add name=u password={SECRET} comment="{SECRET}"
/ip ipsec identity
add secret="a \\
    {SECRET}" peer=p
/snmp community
set [ find default=yes ] name={SECRET}
set [ find name={SECRET} ] addresses=::/0
/system script
add name=s source=":put \\"{SECRET}\\""
:put {SECRET}
/tool fetch url="https://x/?t={SECRET}"
/interface wifi security
add .passphrase={SECRET} name=a wpa2-pre-shared-key={SECRET}
add comment="defconf {SECRET}" {SECRET}
/user add name=a password = {SECRET}
"""
    export = parsed(text, "r.rsc")
    shown = secrets.Struck(export, [], secrets.Names([export])).lines(1000)
    assert SECRET not in repr(shown)
    assert any("name=wg1" in line for _, line in shown)
    found = ask(text)
    assert SECRET not in repr([vars(each) for each in found.net.rows.unread])


def spoiled(number: int) -> str:
    """An export with letters put in, taken out and doubled."""
    draw = random.Random(number)
    rule = 'add action=accept chain=forward comment="x \\"y\\"" in-interface=!ether1 \\\n  log=yes'
    lines = ["/ip firewall filter", *[rule] * 9, "/interface bridge", "add name=b", "set [find] a=b",
             "/ip address", "add address=10.0.0.1/8 interface=b", "/ip ipsec policy", "set 0 x=1",
             "/interface gre", "add name=g remote-address=192.0.2.1"]  # fmt: skip
    text = list("\n".join(lines))
    for _ in range(draw.randrange(1, 40)):
        place = draw.randrange(len(text))
        text[place : place + draw.randrange(3)] = draw.choice(
            ['"', "\\", "[", "]", "{", "\n", "=", "\0", "!", " ", "..", "é", "/", "find", "\\\n"]
        )
    return "".join(text)


def test_spoiled_exports_are_answered() -> None:
    for number in range(150):
        assert Answer(ask(spoiled(number))).plain()["classes"]


@pytest.mark.parametrize(
    "text",
    [
        '/ip firewall { filter add chain=a ; nat add chain=b comment="; {x}" }\n',
        "/ip firewall {\n  filter add chain=a\n  nat add chain=b\n}\n",
        "/ip firewall {\n  filter {\n    add chain=a\n  }\n  nat\n  add chain=b }\n",
        "/ip firewall { filter { add chain=a } ; nat { add chain=b } }\n",
    ],
)
def test_the_commands_of_a_block_in_braces_are_read(text: str) -> None:
    read = parsed(text + "/ip settings\nset rp-filter=strict\n", "r.rsc")
    chains = [(each.menu, each.properties.get("chain")) for each in read.commands]
    assert chains == [
        ("/ip/firewall/filter", "a"),
        ("/ip/firewall/nat", "b"),
        ("/ip/settings", None),
    ]
    assert not read.unread


HEAD = "# 2026-11-20 10:00:00 by RouterOS 7.20.8\n"
RB = HEAD + "# model = RB5009UG+S+\n"
DROP = "add action=drop chain=forward\n"


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


UNFILTERED = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB750Gr3
/ip address
add address=192.168.1.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip dns
set allow-remote-requests=yes
"""
FIREWALL = """/ip firewall filter
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""
TUNNEL = "/interface eoip\nadd ipsec-secret=x name=t1 remote-address=198.51.100.1 tunnel-id=1\n"


@pytest.mark.parametrize(
    ("text", "rule", "lines", "types"),
    [
        (UNFILTERED + TUNNEL, "", [], True),
        (UNFILTERED + TUNNEL + "#error exporting /ip firewall filter\n#interrupted\n",
         "export-without-firewall", [10], False),
        (UNFILTERED + TUNNEL + "#interrupted\n", "export-without-firewall", [10], False),
        (UNFILTERED + '#error exporting "/ip/firewall/filter" (timeout)\n' + TUNNEL,
         "export-without-firewall", [8], False),
        (UNFILTERED + FIREWALL + "#error exporting /ip traffic-flow\n#interrupted\n",
         "export-incomplete", [12], True),
        (UNFILTERED + FIREWALL + '#error exporting "/ip/firewall/nat" (timeout)\n',
         "export-incomplete", [12], True),
        (UNFILTERED + FIREWALL + '#error exporting "/system/routerboard/wps-button"\n', "", [], True),
        (UNFILTERED + FIREWALL + "# interrupted by lunch\n", "", [], True),
    ],
)  # fmt: skip
def test_what_routeros_did_not_export_is_not_taken_as_missing(
    text: str, rule: str, lines: list[int], types: bool
) -> None:
    explanation = ask(text)
    seen = [
        (name, met)
        for name, met in noticed(explanation)
        if rules()[name].get("place") == "incomplete"
    ]
    assert [name for name, _ in seen] == ([rule] if rule else [])
    assert [line.number for _, met in seen for line in met] == lines
    commands = [line for thing in to_do(Answer(explanation).plain()) for line in thing["commands"]]
    assert any("fasttrack-connection" in line for line in commands) == types
    assert ("open-resolver" in explanation.met) == types


@pytest.mark.parametrize(
    "menu", ["/queue/simple", "/ip/ipsec/policy", "/ip ipsec identity", "/ip/firewall/mangle"]
)
def test_fasttrack_is_not_offered_past_what_routeros_did_not_export(menu: str) -> None:
    text = UNFILTERED + FIREWALL + f'#error exporting "{menu}" (timeout)\n'
    things = to_do(Answer(ask(text)).plain())
    assert not [one for thing in things for one in thing["commands"] if "fasttrack" in one]
