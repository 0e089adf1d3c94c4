"""Ask about a text, by the library and by the command."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosexplain import Explanation, base, classify
from rosexplain.__main__ import main
from rosexplain.decide import Verdict
from rosexplain.parse import parsed

EXPORTS = Path(__file__).with_name("exports")
EXAMPLES = Path(__file__).parents[1] / "examples"

PROMPT = "[admin@MikroTik] > "
HEAD = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
"""
WAN = """/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
"""
"""The list of the interfaces that lead to the internet: ether1."""
LAN_AND_WAN = f"""{WAN}/ip address
add address=198.18.1.1/24 interface=ether2
"""
"""Out by ether1, in by ether2."""
MARK = "add action=fasttrack-connection chain=forward connection-state=established,related\n"
HOME = f"""{HEAD}/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether2 list=LAN
add interface=ether1 list=WAN
/ip address
add address=192.168.1.1/24 interface=ether2
/ip firewall filter
"""
"""A home router's export up to the rules of its firewall."""


def ask(*texts: str, **words: Any) -> Explanation:
    exports = [parsed(text, f"{number}.rsc") for number, text in enumerate(texts, start=1)]
    return classify.explain(exports, base.base(), **words)


def of(explanation: Explanation, name: str) -> Verdict:
    """The class of a name, or the one that its bridge or tunnel is in with others alike."""
    return next(_named(explanation, name))


def _named(explanation: Explanation, name: str) -> Iterator[Verdict]:
    for one in explanation.classes:
        members = [f"{one.traffic.kind}-{member}" for member in one.traffic.members]
        if name in (one.traffic.name, *members):
            yield one


def run(folder: Path, export: str, *words: str, printed: str | None = None) -> tuple[int, str, str]:
    """The exit code, output and errors of `rosexplain r.rsc`, with `--print p.txt` if printed."""
    (folder / "r.rsc").write_text(export, encoding="utf-8")
    command = [str(folder / "r.rsc")]
    if printed is not None:
        (folder / "p.txt").write_text(printed, encoding="utf-8")
        command += ["--print", str(folder / "p.txt")]
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main([*command, *words])
    return code, out.getvalue(), errors.getvalue()


def plain(folder: Path, export: str, printed: str) -> dict[str, Any]:
    """The answer to an export and what its router printed, as JSON has it."""
    answer: dict[str, Any] = json.loads(run(folder, export, "--json", printed=printed)[1])
    return answer
