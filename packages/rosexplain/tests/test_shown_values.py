"""Values are shown if they parse as what their property is; what is shared has other names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from asked import EXAMPLES as FOLDER
from asked import EXPORTS as MORE
from asked import ask, run
from planted import EVERYWHERE, PRINTED, PUBLIC

from rosexplain import Explanation, explain, parse, property_kinds, report, secrets, sentences, text
from rosexplain.printed import read as printed_read
from rosexplain.report import Answer
from rosexplain.sharing import Replaced
from rosexplain.summary import summary

EXAMPLES = sorted(FOLDER.glob("**/*.rsc"))
EXPORTS = [*EXAMPLES, *sorted(MORE.glob("**/*.rsc"))]
TOKEN = "hunterQ7"
PACKET = "in=ether2 src=192.168.88.10 dst=198.18.0.1:443/tcp established"

LINES = yaml.safe_load(Path(__file__).with_name("shown.yml").read_text(encoding="utf-8"))
"""A menu, a line, and the property whose value is struck out."""


@pytest.mark.parametrize(("menu", "line", "struck"), LINES)
def test_a_value_is_shown_if_it_parses_as_what_its_property_is(
    menu: str, line: str, struck: str
) -> None:
    words = [
        f"{struck}=***" if struck and word.startswith(f"{struck}=") else word
        for word in parse.split(line)[0]
    ]
    there = "/interface bridge\nadd name=bridge7\n"  # so an interface's name can be told from none
    shown = Answer(ask(f"{there}{menu}\n{line}\n")).listing(9, [])[-1][2]
    assert shown.replace("[ ", "[").replace(" ]", "]") == " ".join(words).replace(
        "[ ", "[").replace(" ]", "]")  # fmt: skip


def test_of_an_export_without_interfaces_each_interface_s_name_is_shown() -> None:
    line = "add action=drop chain=input in-interface=bureau"
    assert Answer(ask(f"/ip firewall filter\n{line}\n")).listing(9, [])[-1][2] == line


MODELS = [
    ("Metal 5SHPn", "Metal 5SHPn"),
    ("OmniTIK 5HnD", "OmniTIK 5HnD"),
    ("RouterBOARD 3011UiAS", "RouterBOARD 3011UiAS"),
    ("RB4011iGS+5HacQ2HnD", "RB4011iGS+5HacQ2HnD"),
    ("S53UG+5HaxD2HaxD-TC&RG502Q-EA", "S53UG+5HaxD2HaxD-TC&RG502Q-EA"),
    ("CCR2004-16G-2S+", "CCR2004-16G-2S+"),
    ("RB750Gr3 hunter2", "RB750Gr3 ***"),
    ("hunter2", "***"),
    ("HFA09ZK4WEF", "***"),
    ("RBhunter2", "***"),
]


@pytest.mark.parametrize(("model", "shown"), MODELS)
def test_a_model_is_shown_if_it_has_the_form_of_one(model: str, shown: str) -> None:
    assert Answer(ask(f"# model = {model}\n/ip settings\nset a=b\n")).plain()["router"][
        "model"] == shown  # fmt: skip


def explained(export: parse.Export, replaced: Replaced | None = None) -> Explanation:
    exports = replaced.exports if replaced else [export]
    return explain(exports)


def outputs(typed: str, share: bool) -> tuple[str, list[str]]:
    """All that is shown of an export, except its lines; and those."""
    export = parse.parsed(typed, f"{TOLD}.rsc")
    replaced = Replaced([export]) if share else None
    answer = Answer(explained(export, replaced), replaced=replaced)
    plain = report.with_costs(answer.plain(), {})
    words = replaced.packet(PACKET) if replaced else PACKET
    plain["packet"] = answer.traced(words)
    plain["summary"] = summary(sentences.named(plain))
    whole = text.everything(sentences.named(plain), plain["summary"], 999)
    shown = json.dumps(plain) + "\n".join(whole)
    return shown, [line for _, _, line in answer.listing(9999, [])]


TOLD = "router"


def planted(typed: str, menu: str) -> tuple[str, set[str]]:
    """An export with a token for each value in one menu; and the tokens that stand for names."""
    names: set[str] = set()
    lines = []
    for command in parse.parsed(typed, "x").commands:
        words = [command.menu, command.command, *command.selected]
        for name in command.names:
            value = json.dumps(command.properties[name])
            if command.menu == menu:
                value = f"{TOKEN}x{len(lines)}x{command.names.index(name)}x"
                named = property_kinds.is_name(menu, name) and not secrets.is_secret(menu, name)
                names |= {value} if named else set()
            words.append(f"{name}={value}")
        if command.menu == menu:
            words.append(f"comment={TOKEN}xx")
        lines.append(" ".join(words))
    return "\n".join(lines) + f"\n# {TOKEN}\n", names


MENUS = [
    pytest.param(path, menu, id=f"{path.stem} {menu}")
    for path in EXAMPLES
    for menu in sorted({c.menu for c in parse.parsed(path.read_text(), "x").commands})
]


@pytest.mark.parametrize(("path", "menu"), MENUS)
def test_a_token_is_shown_where_it_is_a_name_and_never_shared(path: Path, menu: str) -> None:
    typed, names = planted(path.read_text(), menu)
    shown, lines = outputs(typed, share=True)
    every = shown + "\n".join(lines)
    at = every.find(TOKEN)
    assert at < 0, every[max(0, at - 200) : at + 40]
    shown, lines = outputs(typed, share=False)
    for name in names:
        shown = shown.replace(name, "")
        lines = [line.replace(name, "") for line in lines]
    every = shown + "\n".join(lines)
    at = every.find(TOKEN)
    assert at < 0, every[max(0, at - 200) : at + 40]


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_an_answer_that_is_shared_is_the_same_answer(path: Path) -> None:
    typed = path.read_text()
    # Names of the router's own that are nobody's defaults, so that all of them are replaced.
    for name in ("bridge1", "bridge", "bridge-local", "pppoe-out1", "wg1", "vlan20"):
        typed = typed.replace(f"={name} ", f"=the-{name} ").replace(f"={name}\n", f"=the-{name}\n")
    export = parse.parsed(typed, "x.rsc")
    replaced = Replaced([export])
    own, shared = explained(export), explained(export, replaced)
    assert paths(own) == paths(shared)
    assert len(own.met) == len(shared.met)
    assert "the-" not in json.dumps(Answer(shared, replaced=replaced).plain(remedies=False))


def paths(found: Explanation) -> list[Any]:
    return sorted([each.traffic.kind, each.answer, each.ways] for each in found.classes)


PLACES = {
    "text": [],
    "--all": ["--all"],
    "--json": ["--json"],
    "--packet": ["--packet", f"in=ether2 dst={PUBLIC}19:80/tcp"],
    "--packet --json": ["--packet", f"in=ether2 dst={PUBLIC}19:80/tcp", "--json"],
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("option", ["", "--share"])
def test_no_public_address_is_shown_wherever_it_stands(
    place: str, option: str, tmp_path: Path
) -> None:
    seen = tmp_path / f"printed-{PUBLIC}20.txt"
    seen.write_text(PRINTED, encoding="utf-8")
    words = [*PLACES[place], "--print", str(seen)]
    shown = "".join(run(tmp_path, EVERYWHERE, *words, *filter(None, [option]))[1:])
    assert len(shown) > 500
    shown = shown.replace("\n", "").replace(" ", "")  # a long word may go on in the next line
    assert (PUBLIC in shown) == (not option)


def struck(address: str) -> str:
    """Stars in the place of an address that the world can reach."""
    return "***" if secrets.public(address) else address


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("to 203.0.113.31.", "to ***."),
        ("203.0.113.0/24", "***/24"),
        ("face203.0.113.31", "face***"),
        ("1.203.0.113.31", "***"),
        ("dst=[2001:db8::1]:443/tcp", "dst=[***]:443/tcp"),
        ("fe80::1%ether1, fd00::1", "fe80::1%ether1, fd00::1"),
        ("192.168.1.1:80, 10.0.0.1", "192.168.1.1:80, 10.0.0.1"),
        ("RouterOS 7.20.8 at 12:30:45", "RouterOS 7.20.8 at 12:30:45"),
        ("02:00:5E:00:53:01", "02:00:5E:00:53:01"),
    ],
)
def test_an_address_is_replaced_in_any_text(shown: str, hidden: str) -> None:
    assert secrets.with_addresses(shown, struck) == hidden


def test_names_and_addresses_are_replaced_alike_everywhere() -> None:
    typed = (
        "/interface bridge\nadd name=pasel\n/interface bridge port\n"
        "add bridge=pasel interface=ether2\n/ip address\nadd address=8.8.4.4/24 interface=pasel\n"
        "/ip route\nadd gateway=8.8.4.1%pasel\nadd gateway=8.8.4.4\n/interface ethernet\n"
        'set [ find default-name=ether3 ] mac-address=02:00:5E:00:53:01 name="K. Sohn"\n'
        '/interface bridge port\nadd bridge=pasel interface="K. Sohn"\n'
        'set [ find interface="K. Sohn" ] hw=no\n'
        "/ip firewall filter\nadd action=drop chain=input src-address-list=!sohn\n"
    )
    replaced = Replaced([parse.parsed(typed, "sohn.rsc")])
    found = explain(replaced.exports)
    assert found.net.rows.where("/interface/bridge/port", "hw", "no")[0].get("interface") == (
        "ethernet-1"
    )
    lines = Answer(found, replaced=replaced).listing(99, [])
    assert [line for _, _, line in lines if line[0] != "/"] == [
        "add name=bridge-1",
        "add bridge=bridge-1 interface=ether2",
        "add address=public-1/24 interface=bridge-1",
        "add gateway=public-2%bridge-1",
        "add gateway=public-1",
        "set [ find default-name=ether3 ] mac-address=hardware-1 name=ethernet-1",
        "add bridge=bridge-1 interface=ethernet-1",
        "set [ find interface=ethernet-1 ] hw=no",
        "add action=drop chain=input src-address-list=!list-1",
    ]
    assert {file for file, _, _ in lines} == {"export.rsc"}
    assert replaced.packet("in=pasel dst=8.8.4.4") == "in=bridge-1 dst=8.8.4.4"


def test_a_name_that_nothing_replaced_is_not_shared() -> None:
    (export,) = Replaced([parse.parsed("/interface bridge\nadd name=pasel\n", "x")]).exports
    names = secrets.Names([export])
    asked = [("chain", "pasel"), ("name", "pasel"), ("in-interface", "pasel")]
    assert not any(secrets.shows("/queue/simple", name, value, names) for name, value in asked)
    assert secrets.shows("/queue/simple", "in-interface", "bridge-1", names)


def test_what_a_router_printed_is_shared_with_other_names() -> None:
    output = printed_read(
        "[admin@r] > /interface/print stats-detail\n 0 R name=pasel rx-packet=3 fp-rx-packet=3\n"
        "[admin@r] > /interface/print count-only where name=pasel\n1\n",
        "pasel.txt",
    )
    replaced = Replaced([parse.parsed("/interface bridge\nadd name=pasel\n", "x")], [output])
    assert len([row for row in output.seen if "pasel" in row["what"]]) == 2
    assert "pasel" not in json.dumps(replaced.outputs[0].seen)
