"""Commands of RouterOS's firewall: what is taken, what is refused and why, and what nft is told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from routeros_lsp.analyze import analyze
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.model.packet_path.on_linux import rule, table
from ppslab.model.packet_path.on_linux.translating import Translation
from ppslab.testbed.routers.routeros.rsc import versions

ROOT = Path(__file__).parents[4]
WIRED = {"ether2": "eth1", "ether3": "eth2", "p1": "eth1", "p2": "eth2"}
FILTER = "/ip firewall filter "


def script(*lines: str) -> str:
    made = Translation(WIRED)
    assert made.take("\n".join(lines), "x.rsc") == []
    return "\n".join(made.script)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("add chain=forward layer7-protocol=x action=drop",
         "layer7-protocol"),
        ("add chain=forward src-address=300.1.1.1", "src-address: not an IP"),
        ("add chain=forward action=tarpit protocol=tcp", "action=tarpit"),
        ("add chain=forward dst-port=53", "dst-port: needs protocol="),
        ("add action=drop", "chain"),
        ("add chain=input out-interface=p1", "out-interface"),
        ("add chain=forward in-interface=p9", "in-interface=p9: no such"),
        ("add chain=forward action=jump", "action=jump: needs jump-target"),
        ("add chain=forward connection-state=esablished", "established, related"),
        ("add chain=forward action=fasttrack-connection protocol=icmp", "UDP"),
        ("add chain=\"x; reboot\"", "not a name"),
        ("add chain=forward action=jump jump-target=input", "jump-target"),
        ("add chain=srcnat action=accept", "chain=srcnat"),
        ("/ip firewall nat add chain=dstnat action=masquerade", "srcnat"),
        ("/ip firewall nat add chain=input action=accept", "chain=input"),
        ("remove 3", "no such item"),
        ("set [find comment=none] action=drop", ""),
        ("reset-counters 0", "no translation"),
        ("print", "the verb print"),
        ("/ip settings add rp-filter=no", "the verb add"),
        ("add drop chain=forward", "is not property"),
        ("move 0 1", ""),
        ("unset 0 comment", "unset"),
        ("/ip address add address=198.18.1.1/24 interface=p1", "only the firewall"),
        ("/ip settings set rp-filter=strict", "rp-filter"),
        ("/ip firewall address-list add list=a", "address is missing"),
        ("add chain=forward protocol=tcp tcp-flags=!!syn", "tcp-flags"),
        ("add chain=forward protocol=tcp tcp-flags=\"\"", "tcp-flags"),
    ],
)  # fmt: skip
def test_what_has_no_translation_is_refused_with_the_reason(line: str, said: str) -> None:
    made = Translation(WIRED)
    [(number, why)] = made.take(line if line[0] == "/" else FILTER + line, "x.rsc")
    assert number == 1
    assert said in why
    assert made.script == []


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
    assert "tracking" not in script(FILTER + "add chain=forward action=accept", off)


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("filter add chain=forward src-address-list=!office action=drop",
         "ip saddr != @list-office counter drop"),
        ("nat add chain=dstnat protocol=tcp dst-port=80 in-interface=p2 action=dst-nat "
         "to-addresses=198.18.1.2 to-ports=8080",
         'iifname "eth2" th dport 80 counter dnat to 198.18.1.2:8080'),
        ("nat add chain=dstnat protocol=udp action=redirect", "counter redirect\n"),
        ("mangle add chain=forward protocol=tcp tcp-flags=syn action=change-mss "
         "new-mss=clamp-to-pmtu",
         "tcp flags & (syn) == syn counter tcp option maxseg size set rt mtu"),
        # As nft(8) has the flags: the mask is all that are looked at.
        ("filter add chain=input protocol=tcp tcp-flags=syn,!ack", "(syn | ack) == syn counter"),
        ("filter add chain=input protocol=tcp tcp-flags=!syn,!ack", "(syn | ack) == 0 counter"),
        ("filter add chain=input src-mac-address=!02:00:C6:12:00:00/FF:FF:FF:FF:00:00",
         "ether saddr & ff:ff:ff:ff:00:00 != 02:00:c6:12:00:00 counter accept"),
        ("filter add chain=input src-mac-address=02:00:C6:12:00:01/FF:FF:FF:FF:FF:FF",
         "ether saddr 02:00:c6:12:00:01 counter"),
        ("mangle add chain=input dscp=46 action=mark-packet new-packet-mark=m passthrough=no",
         "ip dscp 46 counter meta mark set 1 accept"),
        ("filter add chain=input protocol=tcp action=reject reject-with=tcp-reset",
         "counter reject with tcp reset"),
    ],
)  # fmt: skip
def test_a_rule_becomes_what_nft_knows(line: str, written: str) -> None:
    office = "/ip firewall address-list add list=office address=198.18.1.0/24"
    found = script(office, "/ip firewall " + line)
    assert written in found
    assert ("set list-office" in found) == ("office" in line)


def test_a_port_has_the_name_that_it_was_given() -> None:
    rename = "/interface ethernet set [find default-name=ether2] name=lan"
    assert 'iifname "eth1"' in script(rename, FILTER + "add chain=forward in-interface=lan")


def test_a_refused_line_leaves_the_others() -> None:
    made = Translation(WIRED)
    lines = ["add chain=forward action=drop", "add chain=forward layer7-protocol=x", "disable 0"]
    refused = made.take("\n".join([FILTER, *lines]), "x.rsc")
    assert [number for number, _ in refused] == [3]
    assert made.script == []
    assert made.take(FILTER + "enable 0", "y.rsc") == []
    assert "counter drop" in made.script[0]


def test_every_name_in_the_tables_is_one_of_routeros_own() -> None:
    tree = versions.schema(versions.table().database, hardware=False)
    names = {(menu, name) for menu in table.SINGLE for name in table.SINGLE[menu]}
    names |= {(menu, name) for menu in table.LISTS for name in ("list", "address")}
    for menu, family in table.FIREWALLS.items():
        kind = menu.rpartition("/")[2]
        names |= {(menu, name) for name in rule.matchers(family, kind)}
        if family == "ip":
            own = [own for _, kinds, own, _ in table.ACTIONS if kind in kinds]
            names |= {(menu, name) for each in own for name in each}
    for menu, name in sorted(names):
        verb = "set" if menu in table.SINGLE else "add"
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
        made = Translation(WIRED)
        for line in chance.sample(lines, 2):
            at = chance.randrange(len(line))
            cut = chance.randrange(3)
            typed = (
                line[:at]
                + "".join(chance.choices(LETTERS, k=cut))
                + line[at + chance.randrange(3) :]
            )
            made.take(typed, "x.rsc")
            for step in made.script:
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


def test_the_command_line_says_where_it_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.rsc"
    path.write_text(
        "/ip firewall filter\nadd chain=forward action=drop\nadd chain=forward layer7-protocol=x\n"
    )
    said = CliRunner().invoke(app, ["translate", str(path)])
    assert said.exit_code == 1
    assert "counter drop" in said.stdout
    assert f"{path}:3: /ip firewall filter add: layer7-protocol: " in said.output


# --- what is shown of a file that others wrote ----------------------------------------------------


SECRET = "hunter2"
MAC = "AA:BB:CC:DD:EE:FF"
LINES = [
    f'/ip firewall filter add chain=forward action=accept comment="pass {SECRET}"',
    f"/ip firewall filter add chain=forward action=drop content={SECRET}",
    f"/ip firewall filter add chain=forward action=drop {SECRET}=1",
    f"/ip firewall filter add chain=forward action=drop {SECRET}",
    f"/ip firewall filter set {SECRET} action=drop",
    f"/ip firewall filter set [find comment={SECRET}] action=drop",
    f"/interface bridge add name=b admin-mac={SECRET} comment={SECRET} password={SECRET}",
    f"/interface ethernet set ether2 {SECRET}=1",
    f"/queue simple add name=q target=198.18.0.0/24 max-limit=10M/{SECRET}",
    f"/ip/address/password:/{SECRET}",
    f"/ip address print\n  password: {SECRET}",
    f"/{SECRET} add x=y",
    f"/{SECRET}",
    f":put {SECRET}",
    f"/tool profile {SECRET}",
]


def shown(line: str) -> str:
    """All that `ppslab translate` prints of a file."""
    made = Translation(WIRED)
    return "\n".join([why for _, why in made.take(line, "x.rsc")] + made.script)


@pytest.mark.parametrize("line", LINES)
def test_what_may_be_a_secret_is_not_shown(line: str) -> None:
    for text in (line, line + "\n\n"):
        assert SECRET not in shown(text)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("in-interface=ether9", "in-interface=ether9: no such interface"),
        ("layer7-protocol=x", "layer7-protocol: no translation"),
        ("dst-port=80", "dst-port: needs"),
        (f"src-mac-address={MAC}", MAC.lower()),
        ("dscp=²", "dscp: not a whole number"),
    ],
)
def test_what_explain_shows_is_quoted(line: str, kept: str) -> None:
    assert kept in shown(FILTER + "add chain=forward action=drop " + line)
