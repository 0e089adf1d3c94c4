"""One layout: what it does, that it does it once, and that nothing else changes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pygments.token import Error
from routeros_lsp.analyze import analyze
from routeros_lsp.syntax.ast import StringLit
from routeros_lsp.syntax.walk import visit

from ppslab.course.site.directives.devices import RouterOSLexer
from ppslab.testbed.routers.routeros.rsc import layout

ROOT = Path(__file__).parents[5]
SCRIPTS = sorted(
    path for folder in ("labs", "topologies") for path in (ROOT / folder).rglob("*.rsc")
)


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("/ip firewall filter add chain=forward", "/ip/firewall/filter add chain=forward"),
        ("/ip/settings/print", "/ip/settings print"),
        ("/ip fire fil pr", "/ip/firewall/filter print"),
        ("/ip/route\n  add   gateway=198.18.1.2  ;", "/ip/route\nadd gateway=198.18.1.2"),
        ("set [ find where name=a ] mtu=1500", "set [find where name=a] mtu=1500"),
        (":log  info   message=x", ":log info message=x"),
        ("#why\n# and   how  ", "# why\n# and   how"),
        ("\n\n/ip/route\n\n\n\nprint\n\n", "/ip/route\n\nprint"),
        ('/system/identity set name="a  b ; { [ #"', '/system/identity set name="a  b ; { [ #"'),
        (":for i from=1 to=2 do={:put $i;:put 1}", ":for i from=1 to=2 do={ :put $i; :put 1 }"),
        (
            ":if (true) do={\n:put 1\n      :put [ :len a ]\n} else={}",
            ":if (true) do={\n    :put 1\n    :put [:len a]\n} else={}",
        ),
        ("add \\\n mtu=1 \\\n\tname=b", "add \\\n    mtu=1 \\\n    name=b"),
        ("\ufeff/ip/route\r\nprint\r\n", "/ip/route\nprint"),
        ("", ""),
    ],
)
def test_how_it_is_laid_out(written: str, laid_out: str) -> None:
    wanted = f"{laid_out}\n" if laid_out else ""
    assert layout.tidy(written) == wanted
    assert layout.tidy(wanted) == wanted


def test_wrong_syntax_is_left_to_the_lint() -> None:
    assert layout.tidy('/system/identity set name="a\n') is None


def meaning(text: str) -> list[object]:
    """What a router makes of it: names in full, in order, and every string."""
    analysis = analyze(text)
    strings: list[object] = []
    visit(
        analysis.script,
        lambda node, above: strings.append(node.value) if isinstance(node, StringLit) else None,
    )
    assert analysis.commands
    words = sorted(analysis.commands.resolutions, key=lambda word: word.start)
    return [(word.kind, word.path, word.name) for word in words] + strings


def mangled(text: str) -> str:
    """The same script as another hand would have written it."""
    lines = []
    for line in text.splitlines():
        other = line
        if line.startswith("/") and '"' not in line:
            menu, _, rest = line.partition(" ")
            other = f"/{menu[1:].replace('/', '  ')} {rest}  "
        elif line.startswith(("add ", "set ")):
            spaced = line.replace("[find", "[ find")
            other = "\t" + re.sub(r" (?=[a-z-]+=)", "   ", spaced, count=3)
        lines += [other] if line else ["", ""]
    return "\ufeff" + "\r\n".join(lines)


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_script_comes_back_from_another_hand(file: Path) -> None:
    text = file.read_text()
    assert layout.tidy(text) == text
    again = mangled(text)
    assert again != text
    tidy = layout.tidy(again)
    assert tidy == text
    assert meaning(tidy) == meaning(again.removeprefix("\ufeff").replace("\r\n", "\n"))


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_colours_leave_no_letter_out(file: Path) -> None:
    text = file.read_text()
    tokens = list(RouterOSLexer(stripnl=False).get_tokens(text))
    assert "".join(value for _, value in tokens) == text
    assert not [value for kind, value in tokens if kind in Error]


@pytest.mark.long
def test_the_script_writes_and_only_says(tmp_path: Path) -> None:
    file = tmp_path / "one.rsc"
    file.write_text("/ip firewall filter\n")

    def format_(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/routeros/rsc", "format", *words, file],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout.strip()

    assert format_("--check") == (1, str(file))
    assert file.read_text() == "/ip firewall filter\n"
    assert format_() == (0, str(file))
    assert file.read_text() == "/ip/firewall/filter\n"
    assert format_("--check") == (0, "")
    # What a router exported stays as it is.
    file.write_text("# 2026-11-20 10:00:00 by RouterOS 7.20.8\n/ip firewall filter\n")
    assert format_("--check") == (0, "")
