# ruff: noqa: E501  (kinds of secrets, one a line)
"""Secrets planted in an export: none is shown, wherever the answer goes."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from asked import EXAMPLES, ask, run
from planted import FORMS, MARK, PLANTED, planted

from rosexplain import commands, parse, printed, secrets
from rosexplain.base import base
from rosexplain.property_kinds import BY_MENU, BY_NAME
from rosexplain.report import Answer
from rosexplain.rows import Row

SOURCE = Path(parse.__file__).parent
NAMES = {*BY_NAME, *chain.from_iterable(BY_MENU.values()), *secrets.WHOLE}
"""Every property that is shown in some menu, and those in which people put secrets by hand."""

SHOWN = """
/queue/simple|add name=§ target=192.0.2.1
/interface/bridge|add name=§
/ppp/profile|add name=§ rate-limit=1M/1M
/ip/firewall/filter|add chain=forward action=jump jump-target=§
/ip/firewall/address-list|add address=192.0.2.1 list=§
""".strip().split("\n")
"""What is no secret by the rule, whatever somebody calls it: a command must name it, or others do."""


def test_there_are_enough() -> None:
    assert planted("plain")[1] >= 130
    assert len({each.partition("|")[0] for each in PLANTED}) >= 60


@pytest.mark.parametrize("form", FORMS)
def test_no_secret_is_shown(form: str, tmp_path: Path) -> None:
    text, _ = planted(form)
    places = {
        "text": "".join(run(tmp_path, text)[1:]),
        "--json": "".join(run(tmp_path, text, "--json")[1:]),
        "print": repr([vars(line) for line in printed.read(text, "p").unread]),
    }
    for place, shown in places.items():
        at = shown.find(MARK)
        assert at < 0, (place, shown[max(0, at - 200) : at + 40])


def test_what_a_rule_reads_is_shown() -> None:
    text = "/ip firewall filter\nadd action=drop chain=forward comment=a src-address-list=bad\n"
    lines = Answer(ask(text)).listing(9, [])
    assert lines[-1][2] == "add action=drop chain=forward comment=*** src-address-list=bad"


@pytest.mark.parametrize("line", SHOWN)
def test_what_commands_and_other_rows_name_is_shown(line: str) -> None:
    menu, _, line = line.partition("|")
    lines = Answer(ask(menu + "\n" + line.replace("§", MARK) + "\n")).listing(9, [])
    assert MARK in lines[-1][2]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("# model = C53UiG+5HPaxD2HPaxD", "# model = C53UiG+5HPaxD2HPaxD"),
        ("# model = RouterBOARD 941-2nD", "# model = RouterBOARD 941-2nD"),
        ("# model = RouterBOARD OmniTIK G-5HacD", "# model = RouterBOARD OmniTIK G-5HacD"),
        ("# model = RouterBOARD Metal G-52SHPacn", "# model = RouterBOARD Metal G-52SHPacn"),
        ("# model = RouterBOARD OmniTIK PG-5HacD", "# model = RouterBOARD OmniTIK PG-5HacD"),
        ("# model = RouterBOARD OmniTIK  x", "# model = RouterBOARD OmniTIK ***"),
        ("# model = RouterBOARD OmniTIK hunterQ7", "# model = RouterBOARD OmniTIK ***"),
        ("# model = RB5009 hunterQ7", "# model = RB5009 ***"),
        ("# model = hAP ax^3", "# model = hAP ax^3"),
        ("# model = hAP ax^3 hunterQ7", "# model = hAP ax^3 ***"),
        ("# model = hAP ax^3hunterQ7", "# model = hAP ***"),
        ("# model = " + "hunterQ7" * 6, "# model = ***"),
        ("# 2026-01-01 12:00:00 by RouterOS 7.20rc2", "# by RouterOS 7.20rc2"),
        ("# 2026-01-01 12:00:00 by RouterOS 7.hunterQ7", "# by RouterOS ***"),
        ("# serial number = hunterQ7", "# ***"),
        ("# software id = hunterQ7", "# ***"),
    ],
)
def test_the_head_of_an_export(line: str, shown: str) -> None:
    answer = Answer(ask(line + "\n/ip settings\nset rp-filter=no\n"))
    assert answer.listing(9, [])[0][2] == shown
    assert MARK not in json.dumps(answer.plain())


@pytest.mark.parametrize(
    "head", ["# model = hAP ax^3", "# version: 7.15.2\n# board-name: hAP ax^3"]
)
def test_a_device_s_name_of_several_words_is_shown_whole(head: str) -> None:
    answer = Answer(ask(head + "\n/ip settings\nset rp-filter=no\n"))
    assert answer.plain()["router"]["model"] == "hAP ax^3"


def everywhere_planted(text: str) -> tuple[str, int]:
    """An export with a secret in each property that is not shown, of each of its commands."""
    lines, count = [], 0
    for command in parse.parsed(text, "x").commands:
        words = [
            name + "=" + json.dumps(command.properties[name])
            for name in command.names
            if secrets.is_shown(command.menu, name)
        ]
        for name in sorted(NAMES):
            if not secrets.is_shown(command.menu, name):
                words.append(name + "=" + MARK + str(count))
                count += 1
        lines.append(" ".join([command.menu, command.command, *command.selected, *words]))
    return "\n".join(lines) + "\n", count


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.rsc")), ids=lambda path: path.stem)
def test_no_remedy_reason_class_or_packet_shows_what_is_planted_beside_it(
    path: Path, tmp_path: Path
) -> None:
    text, count = everywhere_planted(path.read_text(encoding="utf-8"))
    assert count > 100
    packet = run(tmp_path, text, "--packet", "in=ether2 src=192.168.88.10 dst=198.18.0.1:443/tcp")
    assert len(packet[1]) > 1000  # exit 1: not all is fast
    shown = json.dumps(Answer(ask(text)).plain()) + packet[1] + packet[2]
    at = shown.find(MARK)
    assert at < 0, shown[max(0, at - 200) : at + 40]


NAMED = [
    ("/queue simple\nadd name=a target=192.0.2.1\nadd name=b", ["[find name=a]", "[find name=b]"]),
    ("/ppp profile\nadd name=gold rate-limit=1M", ["[find name=gold]"]),
    ("/queue interface\nset ether1 queue=x", ["ether1"]),
    ("/ip ipsec policy\nset 0 disabled=yes", ["0"]),
    ("/ip ipsec policy\nset *FFFF disabled=yes", ["*FFFF"]),
    ("/ip ipsec policy\nset hunterQ7 template=no", ["***"]),
    ("/interface bridge filter\nset hunterQ7 chain=a", ["[find where chain=a !dynamic]"]),
    ("/ppp secret\nadd name=hunterQ7\nadd name=hunterQ72",
     ["[:pick [find where !dynamic] 0]", "[:pick [find where !dynamic] 1]"]),
    ("/snmp community\nset hunterQ7 disabled=no", ["***"]),
    ("/user\nset [ find name=hunterQ7 ] group=x", ["***"]),
    ("/ip dhcp-server lease\nadd address=192.0.2.1 mac-address=hunterQ7\nadd mac-address=hunterQ7",
     ["[find address=192.0.2.1]", "[:pick [find where !dynamic] 1]"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "selectors"), NAMED, ids=[text for text, _ in NAMED])
def test_a_remedy_names_a_row_by_what_may_be_shown(text: str, selectors: list[str]) -> None:
    menus = ask(text + "\n").net.rows.menus.values()
    assert [commands.selector(row) for menu in menus for row in menu.rows] == selectors


PRINTED = [
    ("[admin@r] > /interface/print detail\n 0 R name=ether1 fp-rx-packet=hunterQ7\n", []),
    ("[admin@r] > /interface/bridge/print detail\n 0 R name=b actual-mtu=hunterQ7\n", []),
    ("[admin@r] > /ip/settings/print\n ipv4-fast-path-packets: hunterQ7\n", []),
    ("[admin@r] > /ip/hunterQ7/print count-only where name=hunterQ7\n12\n",
     ["rows of *** where ***"]),
    ("[admin@r] > /interface/bridge/port/print count-only where hw hunterQ7\n3\n",
     ["rows of /interface/bridge/port where hw ***"]),
    ("[admin@r] > /interface/print\nColumns: NAME, TYPE\n#   NAME    TYPE\n0 R ether1  hunterQ7\n",
     ["interfaces of type ***"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "what"), PRINTED)
def test_what_a_router_printed_is_shown_by_known_words(text: str, what: list[str]) -> None:
    read = printed.read(text, "p")
    assert [each["what"] for each in read.seen] == what
    assert MARK not in json.dumps(read.seen)
    assert MARK not in repr([(each.begins, each.why) for each in read.unread])


METHODS = {"get": 0, "says": 0, "command": 0, "with_value": 0, "where": 1}
"""Methods of rows that take a property's name, and as which of their arguments."""

ROWS = ("row", "rows", "r", "port", "vrf", "bond", "rule", "policy", "address", "settings", "tunnel",
        "menu", "properties")  # fmt: skip
"""What a row, rows of a menu, or a command's properties are called in the code that asks them."""

NO_PROPERTIES = {
    "active-4": "printed by a router, and put into a menu that no export has",
    "active-6": "the same",
    "default": "the word of the rows that a router has of itself, by which a command selects them",
}


OF_ANSWERS = ("network", "device", "interface_lists", "uplinks", "matching", "firewall", "traffic", "decide", "offload", "ending", "marks",
              "destination", "interfaces", "translation", "trace", "bridging",
              "tunnels", "forwarding", "alike", "classify", "commands", "remedy")  # fmt: skip


def reads() -> dict[str, str]:
    """The properties that explain and remedies name where they ask a row, and where they do."""
    named: dict[str, str] = {}
    for name in OF_ANSWERS:
        path = SOURCE / f"{name}.py"
        module = importlib.import_module(f"rosexplain.{name}")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        loops = list(_loops(tree))
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            at = METHODS.get(call.func.attr, 9)
            receiver = ast.unparse(call.func.value).rpartition(".")[2]
            if len(call.args) > at and receiver in ROWS:
                for property_ in _values(call.args[at], module, loops):
                    named.setdefault(property_, f"{path.name}:{call.lineno}")
    return named


def _loops(tree: ast.AST) -> Iterator[tuple[str, ast.expr, int | None]]:
    """The variables of a module's loops: their names, what is gone through, and which part of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            target = node.target
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            for index, part in enumerate(parts):
                if isinstance(part, ast.Name):
                    yield part.id, node.iter, index if isinstance(target, ast.Tuple) else None


def _values(said: ast.expr, module: Any, loops: list[tuple[str, ast.expr, int | None]]) -> set[str]:
    """The texts that an expression can be, as far as the module's own words tell."""
    match said:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {text for part in parts for text in _values(part, module, loops)}
        case ast.Name(id=name) if isinstance(value := getattr(module, name, None), str | tuple):
            return {value} if isinstance(value, str) else {v for v in value if isinstance(v, str)}
        case ast.Name(id=name):
            every: set[str] = set()
            for variable, over, index in loops:
                if variable == name and index is None:
                    every |= _values(over, module, [])
                elif variable == name and isinstance(over, ast.Name):
                    rows = getattr(module, over.id, ())
                    every |= {row[index] for row in rows if isinstance(row, tuple)}
            return every
    return set()


def test_each_property_that_the_code_names_is_shown_in_some_menu() -> None:
    read = reads()
    assert len(read) >= 60 and "igmp-snooping" in read and "gateway" in read
    missing = {
        name: place
        for name, place in read.items()
        if name not in NAMES
        and name not in NO_PROPERTIES
        and not name.startswith("/")  # a menu
        and not secrets.is_secret("", name)
    }
    assert not missing


def test_each_property_that_a_rule_names_is_shown_in_its_menu() -> None:
    rules = base()["rules"]
    asked = [(menu, name) for rule in rules for menu in rule["menus"] for name in rule["where"]]
    assert len(asked) >= 40
    assert not [
        each for each in asked if not secrets.is_shown(*each) and not secrets.is_secret(*each)
    ]


def test_a_property_that_is_read_is_in_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked of a row, by the code that answers, of our examples and an export of all."""
    read: set[tuple[str, str]] = set()
    get = Row.get

    def recorded(row: Row, name: str, otherwise: str = "") -> str:
        caller = sys._getframe(1).f_code
        if (
            Path(caller.co_filename).stem in OF_ANSWERS
            and caller.co_name not in ("conditions", "_words")
            and row.says(name)
        ):
            read.add((row.menu.path, name))
        return get(row, name, otherwise)

    monkeypatch.setattr(Row, "get", recorded)
    for text in [planted("plain")[0], *(path.read_text() for path in EXAMPLES.glob("*.rsc"))]:
        Answer(ask(text)).plain()
    assert len(read) >= 20
    missing = {
        (menu, name)
        for menu, name in read
        if not secrets.is_shown(menu, name) and not secrets.is_secret(menu, name)
    }
    assert not missing
