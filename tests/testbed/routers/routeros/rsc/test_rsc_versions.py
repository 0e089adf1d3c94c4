"""The lint knows which version, and which device, has a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from routeros_lsp.analyze import bundled_schema

from ppslab.core.errors import UsageError
from ppslab.model.lab import lab as labs
from ppslab.model.lab import topology
from ppslab.testbed.routers.routeros.rsc import database, lint, versions
from tests.testbed.routers.routeros.rsc.linting import ROOT, rsc


class TestVersions:
    def test_a_version_is_what_a_router_calls_itself(self) -> None:
        assert versions.parse("7.20.8 (stable)") == versions.parse("7.20.8") == (7, 20, 8)
        assert versions.parse("7.21") < versions.parse("7.21.4") < versions.parse("7.24beta3")
        for text in ("", "seven", "7", "7.x", "v7.21"):
            with pytest.raises(UsageError, match="is no version of RouterOS"):
                versions.parse(text)

    @pytest.mark.parametrize(
        ("menu", "command", "argument", "version", "lacks"),
        [
            # Which of 48 CHRs' command trees have it: github.com/tikoci/restraml.
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
        assert bool(versions.lacking(menu, command, [argument], version)) == lacks
        assert bool(versions.lacking(f"/{menu}", command, [argument], f"{version} (x)")) == lacks

    def test_hardware_keeps_what_a_chr_lost(self) -> None:
        words = ("ip/firewall/filter", "add", ["hw-offload"], "7.24")
        assert versions.lacking(*words, platform="chr")
        assert not versions.lacking(*words, platform="hardware")

    def test_what_takes_several_cpus_is_found_where_there_is_one(self) -> None:
        """The manual marks cpu= of /tool/profile with the capability smp."""
        text = "# why\n/tool profile cpu=all\n"
        (found,) = lint.check("see.rsc", text, cpus=1)
        assert (found.line, "on fewer CPUs has no argument cpu" in found.message) == (2, True)
        assert lint.check("see.rsc", text, cpus=2) == []
        assert lint.check("see.rsc", "/tool profile\n", cpus=1) == []

    @pytest.mark.parametrize("name", labs.names())
    def test_no_lab_asks_more_of_its_router_than_its_cpus_have(self, name: str) -> None:
        wiring = topology.find(f"{labs.find(name).spec.topology}-chr", foreign=True)
        text = wiring.path.read_text(encoding="utf-8")
        cpus = min(int(number) for number in re.findall(r'QEMU_SMP: "(\d+)"', text))
        scripts = list((ROOT / "labs" / name).rglob("*.rsc"))
        assert scripts
        hardware = "switch-only"
        wrong = [
            finding
            for file in scripts
            for finding in lint.check(
                str(file), file.read_text(), hardware=hardware in file.parts, cpus=cpus
            )
        ]
        assert wrong == []

    def test_the_lint_heeds_the_version_that_is_asked_for(self, tmp_path: Path) -> None:
        def wrong(text: str, *wanted: str) -> list[str]:
            return [str(each) for each in lint.check("a.rsc", text, wanted=wanted)]

        offload = "/ip/firewall/filter add chain=forward hw-offload=yes\n"
        assert not wrong(offload, "7.20.8")
        assert wrong(offload, "7.21.4") and wrong(offload)
        fast = "/ipv6/settings set allow-fast-path=yes\n"
        assert not wrong(fast)
        (said,) = wrong(fast, "7.17.1")
        assert said.startswith("a.rsc:1:20: ") and "from 7.18 on" in said
        (said,) = wrong("/ipv6/neighbor\nadd address=2001:2::1 interface=p1\n", "7.17.1")
        assert said.startswith("a.rsc:2:1: RouterOS 7.17.1 has no command add")
        file = tmp_path / "one.rsc"
        file.write_text(offload)
        assert rsc("lint", "--routeros", "7.20.8", file) == (0, "")

    def test_the_table_is_about_the_tree_that_is_there(self) -> None:
        bundled = bundled_schema()
        assert bundled and bundled.version == versions.table().database


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
        ],
    )
    def test_what_is_not_on_the_kept_list_is_found_there_too(self, text: str, word: str) -> None:
        (found,) = lint.check("a.rsc", text, hardware=True)
        assert found.line == 1 and word in found.message

    def test_the_kept_list_names_nothing_that_a_chr_has(self) -> None:
        bundled = bundled_schema()
        assert bundled
        for path, menu in database.kept().menus.items():
            node = bundled.root
            for name in path.split("/"):
                node = (node.get("c") or {}).get(name, {})
            for command, arguments in menu.commands.items():
                known = (node.get("c") or {}).get(command, {}).get("a", {})
                assert not set(arguments) & set(known), f"{path} {command}"
