"""Somebody types: what is taken, what is refused and why, and what the router is told."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from routeros_lsp.analyze import analyze
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.model.packet_path.on_linux import firewall, table
from ppslab.model.packet_path.on_linux.in_page import Talk
from ppslab.model.packet_path.on_linux.session import Session
from ppslab.testbed.routers.routeros.rsc import versions
from tests.course.models.both import MODULES, NODE
from tests.model.packet_path.on_linux.test_cases import CASES

ROOT = Path(__file__).parents[4]
WIRED = [("ether2", "eth1"), ("ether3", "eth2"), ("p1", "eth1"), ("p2", "eth2")]


def session(*lines: str) -> Session:
    made = Session(WIRED)
    for line in lines:
        assert made.take(line).refused == [], line
    return made


def script(*lines: str) -> str:
    made = Session(WIRED)
    found = ""
    for line in lines:
        taken = made.take(line)
        assert taken.refused == [], line
        found = "\n".join(taken.script)
    return found


FILTER = "/ip firewall filter "


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("add chain=forward layer7-protocol=x action=drop",
         "layer7-protocol"),
        ("add chain=forward src-address=300.1.1.1", "src-address: '300.1.1.1'"),
        ("add chain=forward action=tarpit protocol=tcp", "action=tarpit"),
        ("add chain=forward dst-port=53", "dst-port: needs protocol="),
        ("add action=drop", "chain"),
        ("add chain=input out-interface=p1", "out-interface"),
        ("add chain=forward in-interface=p9", "in-interface: no interface 'p9'"),
        ("add chain=forward action=jump", "action=jump: needs jump-target"),
        ("add chain=forward comment=\"a'b\\\"c\"", "comment: "),
        ("add chain=forward connection-state=esablished", "established, related"),
        ("add chain=forward action=fasttrack-connection protocol=icmp", "UDP"),
        ("add chain=\"x; reboot\"", "chain: 'x; reboot'"),
        ("add chain=forward action=jump jump-target=input", "jump-target"),
        ("add chain=srcnat action=accept", "chain=srcnat"),
        ("/ip firewall nat add chain=dstnat action=masquerade", "srcnat"),
        ("/ip firewall nat add chain=input action=accept", "chain=input"),
        ("remove 3", ": 3"),
        ("set [find comment=none] action=drop", ""),
        ("add chain=forward; add chain=input", ""),
        ("reset-counters 0", "reset-counters"),
        ("print count-only", "print stats"),
        ("add drop chain=forward", "'drop'"),
        ("move 0 1", ""),
        ("unset 0 comment", "unset"),
    ],
)  # fmt: skip
def test_what_has_no_translation_is_refused_with_the_reason(line: str, said: str) -> None:
    made = Session(WIRED)
    taken = made.take(line if line[0] == "/" else FILTER + line)
    assert len(taken.refused) == 1
    assert said in taken.refused[0][1]
    assert taken.script == []
    assert taken.count == 0


def test_a_terminal_keeps_its_menu_and_its_numbers() -> None:
    made = session("/ip firewall filter", "add chain=forward action=drop protocol=tcp",
                   "add chain=forward action=accept", "remove 0", "disable 0")  # fmt: skip
    assert made.take("print").printed == [
        "Flags: X - DISABLED", " 0 X  chain=forward action=accept",
    ]  # fmt: skip
    assert made.take("enable 0").script[0].count("counter accept") == 1
    assert "delete table ip routeros-filter" in "\n".join(made.take("remove 0").script)
    made.take("/")
    assert made.take("/ip firewall fliter").refused[0][1].startswith("/ip/firewall/fliter: ")


def test_a_rule_goes_where_it_is_told_to() -> None:
    found = script(FILTER + "add chain=forward action=drop", FILTER + "add chain=forward "
                   "protocol=udp action=accept place-before=0")  # fmt: skip
    assert found.index("udp counter accept") < found.index("counter drop")
    moved = script(FILTER + "add chain=forward action=drop",
                   FILTER + "add chain=forward protocol=udp action=accept",
                   FILTER + "move 1 0")  # fmt: skip
    assert moved.index("udp counter accept") < moved.index("counter drop")


def test_fasttrack_needs_the_fast_path_to_be_allowed() -> None:
    rule = FILTER + "add chain=forward action=fasttrack-connection connection-state=established"
    assert "flow add @fasttrack" in script(rule)
    assert "flow add" not in script(rule, "/ip settings set allow-fast-path=no")


def test_tracking_is_as_its_switch_says() -> None:
    rule = FILTER + "add chain=forward connection-state=new action=accept"
    off = "/ip firewall connection tracking set enabled=no"
    assert "never-entered" in script(FILTER + "add chain=forward action=accept")
    assert "notrack" in script(rule, off)
    gone = script(FILTER + "add chain=forward action=accept", off)
    assert "delete table inet routeros-tracking" in gone and "chain" not in gone


def test_marks_lists_and_nat_become_what_nft_knows() -> None:
    found = script("/ip firewall address-list add list=office address=198.18.1.0/24",
                   FILTER + "add chain=forward src-address-list=!office action=drop")  # fmt: skip
    assert "set list-office" in found and "ip saddr != @list-office counter drop" in found
    found = script("/ip firewall nat add chain=dstnat protocol=tcp dst-port=80 in-interface=p2 "
                   "action=dst-nat to-addresses=198.18.1.2 to-ports=8080")  # fmt: skip
    assert 'iifname "eth2" th dport 80 counter dnat to 198.18.1.2:8080' in found
    found = script("/ip firewall mangle add chain=forward protocol=tcp tcp-flags=syn "
                   "action=change-mss new-mss=clamp-to-pmtu")  # fmt: skip
    assert "tcp flags & (syn) == syn counter tcp option maxseg size set rt mtu" in found


def test_what_linux_did_not_do_is_forgotten() -> None:
    made = session(FILTER + "add chain=forward action=drop")
    made.take(FILTER + "add chain=input action=drop")
    made.back()
    assert made.take(FILTER + "print").printed == [
        "Flags: X - DISABLED", " 0    chain=forward action=drop",
    ]  # fmt: skip
    assert "hook input" in "\n".join(made.take(FILTER + "add chain=input action=drop").script)


def test_names_of_interfaces_follow_those_that_are_made() -> None:
    made = session("/interface vlan add interface=p1 name=inside vlan-id=10")
    assert made.take("/ip address add address=198.18.9.1/24 interface=inside").script == [
        "ip address replace 198.18.9.1/24 dev inside"
    ]
    assert "'inside'" in made.take("/interface vlan remove inside").refused[0][1]
    made.take("/ip address remove 0")
    assert made.take("/interface vlan remove inside").script == ["ip link del dev inside"]
    assert made.take("/interface bridge add name=p1 protocol-mode=none").refused


def names() -> list[tuple[str, str]]:
    """Every menu and property that is translated, by the tables."""
    found = [(menu, name) for menu, properties, _ in table.ROWS for name in properties]
    found += [(menu, name) for menu, name, _, _ in table.SETTINGS]
    found += [("/queue/type", place[0]) for kind in table.KINDS for place in kind[2]]
    for menu, family in table.FIREWALLS:
        kind = menu.rpartition("/")[2]
        found += [(menu, name) for name in firewall.matchers(family, kind)]
        if family == "ip":
            found += [(menu, name) for _, kinds, own, _ in table.ACTIONS if kind in kinds
                      for name in own]  # fmt: skip
    return sorted(set(found))


def test_every_name_in_the_tables_is_one_of_routeros_own() -> None:
    tree = versions.schema(versions.table().database, hardware=False)
    for menu, name in names():
        verb = "set" if menu in table.SINGLE + table.FIXED else "add"
        found = analyze(f"{menu} {verb} {name}=x", schema=tree).findings
        unknown = [each for each in found if each.rule.startswith("schema/unknown")]
        assert not unknown, (menu, name)


LETTERS = "abz019=./:-,\"'[]{}()$;!\\ #@*~%\n"


@pytest.mark.long
def test_no_mutated_line_ends_in_a_traceback_or_gets_out_of_its_command() -> None:
    chance = random.Random(15)
    lines = [line for path in sorted((ROOT / "labs").rglob("*.rsc"))
             for line in _whole(path.read_text())]  # fmt: skip
    for _ in range(3000):
        made = Session(WIRED)
        for line in chance.sample(lines, 2):
            at = chance.randrange(len(line))
            cut = chance.randrange(3)
            typed = (
                line[:at]
                + "".join(chance.choices(LETTERS, k=cut))
                + line[at + chance.randrange(3) :]
            )
            for step in made.take(typed).script:
                # A heredoc ends where it is meant to, and nothing stands behind.
                assert step.count("PPSLAB") in (0, 2)
                assert "`" not in step and "$" not in step


def _whole(text: str) -> list[str]:
    """Each line with its menu in front, as typed at the top."""
    menu, made = "", []
    for line in text.splitlines():
        if line.startswith("/") and " add " not in line and " set " not in line:
            menu = line
        elif line.startswith(("add", "set")):
            made.append(f"{menu} {line}")
        elif line.startswith("/"):
            made.append(line)
    return made


@pytest.mark.long
def test_the_page_gets_the_same_answers_in_micropython() -> None:
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not here: make test installs it")
    typed = [line for name in ("fastpath", "fasttrack", "queues")
             for path in sorted((ROOT / "labs" / name / "routeros").rglob("*.rsc"))
             for line in _whole(path.read_text())[:2]]  # fmt: skip
    typed += [FILTER + "add chain=forward layer7-protocol=x", FILTER + "print", "remove 0",
              FILTER + "remove 0", "/ip settings print", FILTER, "/"]  # fmt: skip
    answers: dict[int, str] = {}
    for case in CASES:
        typed += case["typed"]
        if "answers" in case:
            answers[len(typed) - 1] = case["answers"]
    talk = Talk(json.dumps(WIRED))
    here = []
    for at, line in enumerate(typed):
        taken = json.loads(talk.take(line))
        here.append([taken, talk.shown(answers[at])] if at in answers else [taken])
    page = subprocess.run(
        [NODE, Path(__file__).with_name("type.mjs")], capture_output=True, text=True, check=False,
        input=json.dumps({"files": _files(), "wired": WIRED, "typed": typed,
                          "answers": answers}),
    )  # fmt: skip
    assert page.returncode == 0, page.stderr[-3000:] + page.stdout[-3000:]
    assert json.loads(page.stdout) == here


def _files() -> dict[str, str]:
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/site/models-for-pages", "routeros"],
        capture_output=True, check=True,
    )  # fmt: skip
    found: dict[str, str] = json.loads(made.stdout)
    return found


def test_the_command_line_says_where_it_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.rsc"
    path.write_text(
        "/ip firewall filter\nadd chain=forward action=drop\nadd chain=forward layer7-protocol=x\n"
    )
    said = CliRunner().invoke(app, ["translate", str(path)])
    assert said.exit_code == 1
    assert "counter drop" in said.stdout
    assert f"{path}:3: /ip firewall filter add: layer7-protocol: " in said.output


MENUS = [each for each in table.menus() if not each.startswith("/ipv6")]
WORDS = [
    "chain=forward", "chain=srcnat", "chain=x", "action=drop", "action=jump jump-target=x",
    "action=masquerade", "protocol=tcp", "name=a", "name=b", "interface=p1", "interface=a",
    "address=198.18.1.1/24", "list=l", "src-address-list=l", "target=198.18.1.2", "vlan-id=5",
    "max-limit=1M/2M", "protocol-mode=none", "bridge=b", "dst-address=10.0.0.0/8", "gateway=a",
    "kind=sfq", "queue=a", "parent=p1", "disabled=yes", "enabled=no", "place-before=0", "mtu=1500",
]  # fmt: skip
WHICH = ["0", "1", "0,1", "[find]", "[find name=a]", "[find disabled]", "a", "p1", "", "0 1"]


def test_after_any_lines_the_router_is_what_the_rows_come_to() -> None:
    chance = random.Random(7)
    for _ in range(60):
        made, typed = Session(WIRED), []
        for _ in range(30):
            verb = chance.choice(["add", "add", "set", "remove", "enable", "disable", "move"])
            which = "" if verb == "add" else chance.choice(WHICH) + " "
            words = " ".join(chance.sample(WORDS, 4)) if verb in ("add", "set") else ""
            typed.append(f"{chance.choice(MENUS)} {verb} {which}{words}")
            taken = made.take(typed[-1])
            if taken.count and chance.random() < 0.2:
                made.back()
        # Nothing is left of what was taken back, and nothing was told twice.
        again = Session(WIRED)
        again._begin(made.commands)
        assert [each.do for each in made.items] == [each.do for each in again._state()], typed
