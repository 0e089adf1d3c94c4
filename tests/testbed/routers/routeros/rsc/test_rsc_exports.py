"""The lint of exports, and of what pages and notebooks say in RouterOS."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.testbed.routers.routeros.rsc import lint, pages
from tests.testbed.routers.routeros.rsc.linting import known, rsc


class TestExports:
    """What a router prints by /export: made up here, in its words."""

    NAMES = (
        "# 2026-01-01 00:00:00 by RouterOS 7.18.2\n"
        "/routing/bgp/connection\n"
        "add local.address=198.18.0.2 .role=ebgp name=a remote.address=198.18.0.1/32 .as=65001\n"
        "/interface/wifi\n"
        "set [find default-name=wifi1] channel.band=5ghz-ax .width=20mhz configuration.mode=ap "
        ".ssid=x security.authentication-types=wpa2-psk .ft=yes .ft-over-ds=yes\n"
    )

    def test_a_name_that_begins_with_a_dot_is_that_of_the_one_before(self) -> None:
        assert lint.check("a.rsc", self.NAMES) == []

    @pytest.mark.parametrize(
        ("right", "wrong", "name"),
        [
            (".as=", ".az=", "remote.az"),
            (".ft=", ".tf=", "security.tf"),
            (
                "name=a remote.address=198.18.0.1/32 .as",
                "remote.address=198.18.0.1 name=a .as",
                ".as",
            ),
        ],
    )
    def test_one_that_is_of_nothing_is_found_at_its_place(
        self, right: str, wrong: str, name: str
    ) -> None:
        text = self.NAMES.replace(right, wrong)
        (found,) = lint.check("a.rsc", text)
        line = text.splitlines()[found.line - 1]
        assert f"'{name}'" in found.message
        assert line[found.column - 1 :].startswith(f".{name.rpartition('.')[2]}=")

    @pytest.mark.parametrize(
        "text",
        [
            "/system/routerboard/settings\nset cpu-frequency=auto\n",
            "/system routerboard\nset x=1\n",
            "/interface wireless\nset [ find default-name=wlan1 ] ssid=x\n",
            "/interface wireless security-profiles\nset [ find default=yes ] mode=none\n",
        ],
    )
    def test_what_hardware_has_is_no_mistake_there(self, text: str, tmp_path: Path) -> None:
        file = tmp_path / "a.rsc"
        file.write_text(f"# 2026-01-01 00:00:00 by RouterOS 7.20.8\n{text}")
        assert rsc("lint", "--hardware", file) == (0, "")
        code, said = rsc("lint", file)
        assert code == 1 and "say --hardware" in said

    def test_what_hardware_has_not_is_a_mistake_there_too(self) -> None:
        for text in ("/system/routerbord print\n", "/ip/wireless print\n"):
            (found,) = lint.check("a.rsc", text, hardware=True)
            assert found.line == 1

    def test_an_exports_layout_is_the_routers(self) -> None:
        text = "/ip firewall filter\nadd chain=forward action=accept\n"
        assert lint.check("a.rsc", text)
        assert not lint.check("a.rsc", f"# 2026-01-01 00:00:00 by RouterOS 7.20.8\n#\n{text}")


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
