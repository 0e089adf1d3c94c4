"""What is read of a router's output, and what an answer makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import Result

from rosexplain import printed
from tests.model.packet_path.asked import MARK, home, run, told

HOME = home("ether2") + MARK
SLOW = HOME.replace("fasttrack-connection", "accept")


def commands(text: str) -> list[str]:
    return [command.text for command in printed.read(text, "p").commands]


def seen(text: str) -> list[tuple[str, str, int]]:
    return [(s["what"], s["value"], s["line"]) for s in printed.read(text, "p").seen]


def unread(text: str) -> list[tuple[int, str]]:
    return [(line.number, line.begins) for line in printed.read(text, "p").unread]


def explained(tmp_path: Path, export: str, text: str, *more: str) -> Result:
    return run(tmp_path, export, *more, printed=text)


def answer(tmp_path: Path, export: str, text: str) -> dict[str, Any]:
    return told(tmp_path, export, printed=text)


STATS = """Flags: X - disabled, I - invalid, D - dynamic
 #    CHAIN                 ACTION                            BYTES         PACKETS
 0  D ;;; special dummy rule to show fasttrack counters
      forward               passthrough              50 507 925 242      50 048 246
 1    input                 accept                   20 090 211 549      20 009 864
 2    ;;; defconf: fasttrack
      forward               fasttrack-connection     {:>14}      {:>10}
"""
