"""What the model says of modems, the router's own packets, VXLAN, IPv6 in the chip, numbers."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.model.packet_path import rules
from rosexplain import firewall
from rosexplain.classify import Explanation, explain
from rosexplain.parse import parsed
from rosexplain.report import Answer

HEAD = "# 2026-11-20 10:00:00 by RouterOS {}\n# model = {}\n"


def asked(text: str, version: str = "7.20.8", model: str = "RB5009UG+S+") -> Explanation:
    return explain([parsed(HEAD.format(version, model) + text, "r.rsc")], rules.plain())


def of(found: Explanation, name: str) -> dict[str, Any]:
    classes = Answer(found).plain()["classes"]
    said: dict[str, Any] = next(each for each in classes if each["class"] == name)
    return said


def test_they_come_in_by_no_interface() -> None:
    with pytest.raises(ValueError, match="come in by no interface"):
        firewall.parsed("chain=output in=ether1 dst=1.1.1.1")
