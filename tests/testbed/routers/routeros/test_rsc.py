"""RouterOS's scripts: the lint, and which version has a word."""

from __future__ import annotations

import io
import json
import re
import runpy
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest
from routeros_lsp.analyze import bundled_schema

from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab import lab as labs
from ppslab.testbed.routers.routeros.rsc import lint, pages, script, versions
from ppslab.testbed.routers.routeros.rsc.values import same

ROOT = Path(__file__).parents[4]

SCRIPTS = sorted(
    path for folder in ("labs", "topologies") for path in (ROOT / folder).rglob("*.rsc")
)

SCRIPT = runpy.run_path(str(ROOT / "scripts/routeros/rsc.py"))


def rsc(*words: str | Path) -> tuple[int, str]:
    """The script's exit code and what it prints: in this process, where everything is loaded."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = SCRIPT["main"]([str(word) for word in words])
    return code, said.getvalue()


@cache
def known() -> dict[str, str]:
    return pages.known(ROOT / "labs")


PLANTED = [
    ("/ip/firewall/filter\n\nad chain=forward\nfrobnicate\n", 4, "frobnicate"),
    ("/ip/firewalls/filter print\n", 1, "firewalls"),
    ("/ip/firewall/filter\nadd chian=forward\n", 2, "chian"),
    ("# why\n/interface/eoip\nadd name=e\n", 3, "remote-address"),
    ("/ip/firewall/filter\nadd chain=forward action=fasttrack-connection hw-offload=yes\n", 2,
     "7.24 on a CHR has no argument hw-offload in /ip/firewall/filter"),
    # The manual's old word.
    ("/tool/traffic-generator/stream add tx-template=t num=1\n", 1, "write id"),
    ('/system/identity set name="x\n', 1, "string"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "word"), PLANTED)
def test_a_planted_mistake_is_found_with_its_line(
    text: str, line: int, word: str, tmp_path: Path
) -> None:
    file = tmp_path / "planted.rsc"
    file.write_text(text)
    code, said = rsc("lint", file)
    assert code == 1
    assert re.search(rf"^{file}:{line}:.*{word}", said, re.MULTILINE), said


@pytest.mark.parametrize("suffix", [".md", ".ipynb"])
def test_a_planted_mistake_on_a_page_is_found_with_its_line(suffix: str, tmp_path: Path) -> None:
    text, line, word = PLANTED[0]
    page = f"# A page\n\n:::{{admonition}} In a box\n```routeros\n{text}```\n:::\n"
    file = tmp_path / f"page{suffix}"
    at = 4 + line
    if suffix == ".ipynb":
        cells = [
            {"cell_type": "code", "source": ["1\n"], "outputs": []},
            {"cell_type": "markdown", "source": page.splitlines(keepends=True)},
        ]
        page = json.dumps({"cells": cells}, indent=1)
        source = json.dumps(text.splitlines(keepends=True)[line - 1])
        at = next(n for n, each in enumerate(page.splitlines(), 1) if source in each)
    file.write_text(page)
    found = pages.check(file, name=str(file), known={})
    assert any(each.line == at and word in each.message for each in found), found


def test_one_letter_more_in_any_lab_is_found() -> None:
    """In each argument of the labs that is not the condition of a find, of its menu once."""
    # Of the VLAN table of small switch chips no command tree knows this one.
    known = {("/interface/ethernet/switch/vlan", "independent-learning")}
    for file in SCRIPTS:
        lines, menu = file.read_text().splitlines(), ""
        for number, line in enumerate(lines):
            menu = line.split(" add")[0].split(" set")[0] if line.startswith("/") else menu
            found = re.match(r"(?:/\S+ )?(?:add|set)\b(?: \[.*?\])?.* ([a-z0-9-]+)=", line)
            if not found or (menu, found[1]) in known or re.search(r"\$|\[.*\[", line):
                continue
            known.add((menu, found[1]))
            place = found.start(1)
            longer = [*lines[:number], f"{line[:place]}x{line[place:]}", *lines[number + 1 :]]
            said = lint.check("f", "\n".join(longer) + "\n", hardware="switch-only" in file.parts)
            assert [each.line for each in said] == [number + 1], file
            assert f"'x{found[1]}'" in said[0].message
    assert len(known) > 60


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("nowhere.rsc", None, "nowhere.rsc"),
        ("a.txt", "x", ".ipynb"),
        ("a.ipynb", "[]", "a.ipynb"),
        ("a.ipynb", "{", "a.ipynb:1"),
        ("a.rsc", b"\xff", "a.rsc"),
    ],
)
def test_a_bad_file_is_a_sentence(
    tmp_path: Path, name: str, content: str | bytes | None, word: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, said = rsc("lint", file)
    assert code == 2 and word in said and "Traceback" not in said


# --- exports and pages ----------------------------------------------------------------------------

EXPORTED = "# 2026-01-01 00:00:00 by RouterOS 7.20.8\n"


def test_the_shortened_names_of_an_export_are_its_own() -> None:
    text = (
        "/routing/bgp/connection\nadd local.role=ebgp name=a remote.address=198.18.0.1 .as=65001\n"
    )
    assert lint.check("a.rsc", EXPORTED + text) == []
    (found,) = lint.check("a.rsc", EXPORTED + text.replace("remote.address", "remote.adress"))
    assert (found.line, found.column) == (3, text.splitlines()[1].index("remote") + 1)


@pytest.mark.parametrize(
    "text",
    [
        "/system/routerboard/settings\nset cpu-frequency=auto\n",
        "/system routerboard\nset x=1\n",
        "/interface wireless\nset [ find default-name=wlan1 ] ssid=x\n",
        "/interface wireless security-profiles\nset [ find default=yes ] mode=none\n",
    ],
)
def test_what_hardware_has_is_no_mistake_there(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.rsc"
    file.write_text(EXPORTED + text)
    assert rsc("lint", "--hardware", file) == (0, "")
    code, said = rsc("lint", file)
    assert code == 1 and "say --hardware" in said


class TestPages:
    def page(self, tmp_path: Path, text: str) -> list[lint.Finding]:
        file = tmp_path / "page.md"
        file.write_text(text)
        return pages.check(file, name="page.md", known=known())

    @pytest.mark.long
    def test_what_a_lab_says_is_included_not_typed(self, tmp_path: Path) -> None:
        text = "Look:\n\n```routeros\n/ip/settings\nset allow-fast-path=yes\n```\n"
        (found,) = self.page(tmp_path, text)
        assert (found.line, "include that file" in found.message) == (5, True)
        assert re.search(r"labs/\w+/routeros/[\w-]+\.rsc:\d+", found.message)

    @pytest.mark.parametrize(
        "line", ["/ip/settings/print", "/ip firewall filter print", "[admin@chr] > /ip/route print"]
    )
    @pytest.mark.parametrize("kind", ["text", "", "sh", "{code-block} console"])
    def test_routeros_in_a_block_of_another_kind(
        self, tmp_path: Path, kind: str, line: str
    ) -> None:
        (found,) = self.page(tmp_path, f"- a list\n\n  ```{kind}\n  first\n  {line}\n  ```\n")
        assert found.line == 5 and "this is RouterOS" in found.message

    def test_what_only_looks_like_it(self, tmp_path: Path) -> None:
        lines = ["/sys/bus/pci", "/ip", "cat /ip/settings/print", "/user/home", "/etc/hosts"]
        assert self.page(tmp_path, "\n".join(["```sh", *lines, "```", ""])) == []

    def test_what_a_sentence_names(self, tmp_path: Path) -> None:
        good = "See `/tool/profile cpu=all`, `/ip/route/print`, `/interface/ethernet/switch set`"
        assert self.page(tmp_path, f"{good}, `/24` and `/export`.\n") == []
        (found,) = self.page(tmp_path, "One.\n\nSee `/ip/settings set alow-fast-path=no`.\n")
        assert found.line == 3 and "alow-fast-path" in found.message

    def test_a_snippet_of_the_pages_own(self, tmp_path: Path) -> None:
        assert self.page(tmp_path, "```routeros\n/system/license print\n```\n") == []
        box = "```{admonition} A box\n~~~{code-block} routeros\n/system/licence print\n~~~\n```\n"
        (found,) = self.page(tmp_path, box)
        assert found.line == 3 and "licence" in found.message


# --- versions and switches ------------------------------------------------------------------------


class TestVersions:
    def test_a_version_is_what_a_router_calls_itself(self) -> None:
        assert versions.parse("7.20.8 (stable)") == versions.parse("7.20.8") == (7, 20, 8)
        assert versions.parse("7.21") < versions.parse("7.21.4") < versions.parse("7.24beta3")
        for text in ("", "seven", "7", "7.x", "v7.21"):
            with pytest.raises(UsageError, match=r"7\.20\.8"):
                versions.parse(text)

    @pytest.mark.parametrize(
        ("menu", "command", "argument", "version", "lacks"),
        [
            # By the command trees of 48 CHRs: github.com/tikoci/restraml.
            ("ip/firewall/filter", "add", "hw-offload", "7.20.8", False),
            ("ip/firewall/filter", "add", "hw-offload", "7.21", True),
            ("ip/route", "set", "suppress-hw-offload", "7.20.8", False),
            ("ip/route", "set", "suppress-hw-offload", "7.24", True),
            ("ipv6/settings", "set", "allow-fast-path", "7.17.1", True),
            ("ipv6/settings", "set", "allow-fast-path", "7.18", False),
            ("ipv6/neighbor", "add", "address", "7.17.1", True),
            ("ipv6/neighbor", "add", "address", "7.18.2", False),
            ("tool/traffic-generator/stream", "add", "num", "7.9", True),
            ("ip/firewall/filter", "add", "chain", "7.24", False),
        ],
    )
    def test_who_lacks_what(
        self, menu: str, command: str, argument: str, version: str, lacks: bool
    ) -> None:
        assert bool(versions.lacking(f"/{menu}", command, [argument], f"{version} (x)")) == lacks
        # Hardware keeps what a CHR lost.
        kept = argument.endswith("hw-offload")
        on_hardware = versions.lacking(menu, command, [argument], version, platform="hardware")
        assert bool(on_hardware) == (lacks and not kept)

    def test_the_lint_heeds_the_version_that_is_asked_for(self, tmp_path: Path) -> None:
        def wrong(text: str, *wanted: str) -> list[str]:
            return [str(each) for each in lint.check("a.rsc", text, wanted=wanted)]

        offload = "/ip/firewall/filter add chain=forward hw-offload=yes\n"
        assert not wrong(offload, "7.20.8")
        assert wrong(offload, "7.21.4") and wrong(offload)
        fast = "/ipv6/settings set allow-fast-path=yes\n"
        assert not wrong(fast)
        (said,) = wrong(fast, "7.17.1")
        assert said.startswith("a.rsc:1:20: ") and "7.18" in said
        (said,) = wrong("/ipv6/neighbor\nadd address=2001:2::1 interface=p1\n", "7.17.1")
        assert said.startswith("a.rsc:2:1: ")
        file = tmp_path / "one.rsc"
        file.write_text(offload)
        assert rsc("lint", "--routeros", "7.20.8", file) == (0, "")


class TestSwitches:
    def test_what_only_a_switch_has_is_known_in_its_folder_alone(self, tmp_path: Path) -> None:
        folder = tmp_path / "switch-only"
        folder.mkdir()
        text = "/interface/ethernet/switch/l3hw-settings set ipv6-hw=yes\n"
        for file in (folder / "a.rsc", tmp_path / "a.rsc"):
            file.write_text(text)
        assert rsc("lint", folder / "a.rsc") == (0, "")
        code, said = rsc("lint", tmp_path / "a.rsc")
        assert code == 1 and "'switch' is not a menu" in said and "folder switch-only/" in said

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            ("/interface/ethernet/switch/l3hw-settings set ipv6-hv=yes\n", "ipv6-hv"),
            ("/interface/ethernet/switch/acl print\n", "acl"),
            ("/interface/ethernet/switch set l3-hw-offloading=yes\n", "numbers"),
            ("/interface/ethernet/switch/l3hw-settings/monitors\n", "monitors"),
            ("/ip/adress print\n", "adress"),
            ("/system/routerbord print\n", "routerbord"),
            ("/ip/wireless print\n", "wireless"),
        ],
    )
    def test_what_is_not_on_the_kept_list_is_found_there_too(self, text: str, word: str) -> None:
        (found,) = lint.check("a.rsc", text, hardware=True)
        assert found.line == 1 and word in found.message

    def test_the_kept_list_names_nothing_that_a_chr_has(self) -> None:
        bundled = bundled_schema()
        assert bundled
        for path, menu in versions.kept().menus.items():
            node = bundled.root
            for name in path.split("/"):
                node = (node.get("c") or {}).get(name, {})
            for command, arguments in menu.commands.items():
                known = (node.get("c") or {}).get(command, {}).get("a", {})
                assert not set(arguments) & set(known), f"{path} {command}"


# --- RouterOS's scripts as statements, and its values in one form ---------------------------------


def read(text: str) -> list[str]:
    return [f"{s.line} {s}" for s in script.statements(text, "x.rsc")]


DIGITS = '"0123456789abcdef"'


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("/interface/ethernet/switch set 0 l3-hw-offloading=yes",
         ["1 /interface/ethernet/switch/set 0 l3-hw-offloading=yes"]),
        ('/system/resource/irq\nset [find where users~"^p1" cpu=auto] cpu=0',
         ["2 /system/resource/irq/set [find where users~^p1 cpu=auto] cpu=0"]),
        ("/queue/simple disable [find]", ["1 /queue/simple/disable [find]"]),
        # Both ends are in a loop.
        (':for i from=1 to=3 do={ /ip/address add address=(198.18.1.0 + $i) comment="n$i" }',
         [f"1 /ip/address/add address=198.18.1.{n} comment=n{n}" for n in (1, 2, 3)]),
        # A number is written in hexadecimal by picking its digits.
        (f':for i from=31 to=32 do={{ /ipv6/route add blackhole dst-address=("2001:2:0:" . '
         f'[:pick {DIGITS} ($i / 16)] . [:pick {DIGITS} ($i % 16)] . "::/64") }}',
         [f"1 /ipv6/route/add blackhole dst-address=2001:2:0:{n}::/64" for n in ("1f", "20")]),
        ("/ppp/secret add name=a password=hunter2",
         ["1 /ppp/secret/add name=a password=(hidden)"]),
    ],
)  # fmt: skip
def test_the_statements_of_a_script(text: str, statements: list[str]) -> None:
    assert read(text) == statements


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/queue/simple disable [find]", {"disabled": "yes"}),
        ("/queue/simple enable [find]", {"disabled": "no"}),
        ("/ip/settings set rp-filter=no", {"rp-filter": "no"}),
    ],
)
def test_what_a_statement_wants(text: str, wanted: dict[str, str]) -> None:
    (one,) = script.statements(text, "x")
    assert one.wanted == wanted


@pytest.mark.parametrize(
    "text",
    [
        "/ip/address\nremove [find]",
        "/ip/firewall/connection remove 3",
        "/ip/firewall/filter add action=drop place-before=[find comment=last]",
        "/ip/firewall/filter add action=drop place-before=0",
        "/interface set [find where !dynamic] mtu=1500",
        "/ip/settings set rp-filter=no\n/system/reboot\n",
        "/tool/profile duration=5s",
        ":global x 5",
        "/ip/address add address=$x",
        "/ip/address add address=[:resolve a]",
        '/ip/address add address=[:pick "abc" 3]',
        "/ip/address set [find where a=b or c=d] e=f",
        "/ip/address add a=b a=c",
        ":for i from=a to=2 do={ }",
        ":for i from=3 to=1 step=-1 do={ }",
        '/ip/address add comment="a',
        "/ip/address enable",
        "/ip/address add a=(1 / 0)",
        '/ip/address add a=("x" + 1)',
        '/ip/address add a=("x" * 2)',
        '/ip/address add a=(2 * "x")',
    ],
)
def test_what_cannot_be_taken_back_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(FileError) as told:
        read(text)
    assert told.value.line


@pytest.mark.long
def test_every_file_of_a_condition_is_of_a_router() -> None:
    for lab in map(labs.find, labs.names()):
        nodes = {lab.spec.router}.union(*lab.spec.routeros_nodes.values())
        for condition in lab.conditions.values():
            given = {file for node in nodes for file in lab.routeros(condition, node)}
            assert given == set(condition.routeros), f"{lab.name}, {condition.name}"


@pytest.mark.parametrize(
    ("wanted", "found", "equal"),
    [
        ("yes", "true", True),
        ("yes", "false", False),
        ("yes", None, False),
        ("no", "false", True),
        ("no", None, True),
        ("disabled", None, True),
        ("auto", "true", False),
        ("", "true", True),
        ("", "", True),
        ("", None, False),
        ("1s", "00:00:01", True),
        ("1d00:00:01", "86401s", True),
        ("1s", "1m", False),
        ("1m40s", "100s", True),
        ("300", "5m", True),
        ("10s,10", "10s,10", True),
        ("02:00:C6:12:00:00/FF:FF:FF:FF:00:00", "02:00:c6:12:00:00/ff:ff:ff:ff:00:00", True),
        ("established,related", "related,established", True),
        ("established", "established,related", False),
        ("198.19.1.1/32", "198.19.1.1", True),
        ("198.19.1.1/24", "198.19.1.1/25", False),
        ("198.19.1.1/24", "198.19.1.1", False),
        ("2001:2:0:1::1/64", "2001:2:0:1:0::1/64", True),
        ("10G/10G", "10000000000/10000000000", True),
        ("10G/10G", "10G/1G", False),
        ("10M", "10000k", True),
        ("0x1818", "6168", True),
        ("p1", "p2", False),
    ],
)
def test_ways_to_write_one_value(wanted: str, found: str | None, equal: bool) -> None:
    assert same(wanted, found) == equal
