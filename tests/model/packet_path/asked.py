"""Ask about a text, as the tests of `explain` do, by the library and by the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.model.packet_path import rules
from rosexplain.classify import Explanation, explain
from rosexplain.decide import Verdict
from rosexplain.parse import parsed

PROMPT = "[admin@MikroTik] > "
HEAD = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
"""
LAN_AND_WAN = """/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/ip address
add address=198.18.1.1/24 interface=ether2
"""
"""Out by ether1, in by ether2."""
MARK = "add action=fasttrack-connection chain=forward connection-state=established,related\n"


def home(lan: str, first: str = "") -> str:
    """A home router's export up to the rules of its firewall, whose inside is the interface `lan`.

    `first`: what stands before.
    """
    return f"""{HEAD}{first}/interface list
add name=WAN
add name=LAN
/interface list member
add interface={lan} list=LAN
add interface=ether1 list=WAN
/ip address
add address=192.168.1.1/24 interface={lan}
/ip firewall filter
"""


def ask(*texts: str, **words: Any) -> Explanation:
    exports = [parsed(text, f"{number}.rsc") for number, text in enumerate(texts, start=1)]
    return explain(exports, rules.plain(), **words)


def of(found: Explanation, name: str) -> Verdict:
    """The class of a name, or the one that its bridge or tunnel is in with others alike."""
    return next(
        each
        for each in found.classes
        if each.traffic.name == name
        or any(f"{each.traffic.kind}-{member}" == name for member in each.traffic.members)
    )


def said(text: str, name: str = "established", **words: Any) -> tuple[str, list[str]]:
    """The answer and the ways of a class."""
    decided = of(ask(text, **words), name)
    return decided.answer, decided.ways


def lines(text: str, name: str = "established") -> dict[str, list[int]]:
    """The lines that decide, by the rule."""
    reasons = of(ask(text), name).reasons
    return {r.rule or r.fact: [line.number for line in r.lines] for r in reasons}


def run(folder: Path, export: str, *words: str, printed: str | None = None) -> Result:
    """`ppslab explain` of an export, r.rsc, and of what its router printed, p.txt."""
    (folder / "r.rsc").write_text(export)
    command = ["explain", str(folder / "r.rsc")]
    if printed is not None:
        (folder / "p.txt").write_text(printed)
        command += ["--print", str(folder / "p.txt")]
    return CliRunner().invoke(app, [*command, *words])


def told(folder: Path, export: str, *words: str, printed: str | None = None) -> dict[str, Any]:
    """What the command says as JSON."""
    found: dict[str, Any] = json.loads(
        run(folder, export, "--json", *words, printed=printed).stdout
    )
    return found


def class_of(plain: dict[str, Any], name: str = "established") -> dict[str, Any]:
    """A class of traffic in that, by its name."""
    (found,) = [each for each in plain["classes"] if each["class"] == name]
    return dict(found)
