"""Remedies are RouterOS's commands by the linter's trees, and harm no router of the cases."""

from __future__ import annotations

import re

from test_pasted_back import CASES, filled, harmless

from ppslab.course import practice
from ppslab.testbed.routers.routeros.rsc import lint

TYPED_IN_6 = re.compile(r"^(/(?:[a-z0-9-]+ )+)(?=(?:add|set|disable|enable|remove|move)\b)")
"""The path of a command as RouterOS 6 takes it, with spaces between its words."""

ONLY_IN_6 = ("accounting", "route-cache", "/ip/route/vrf")
"""Menus that the trees of RouterOS 7 do not have."""


def of_7(command: str) -> str:
    """A command with the slashes of RouterOS 7."""
    slashed = TYPED_IN_6.sub(lambda path: path[1].strip().replace(" ", "/") + "/", command)
    return slashed.replace("/ ", " ")


def test_no_remedy_of_the_routers_to_repair_does_harm() -> None:
    routers = [case.export for _, case in practice.cases().items()]
    assert len(routers) >= 12
    assert sum(harmless(text) for text in routers) > 0


def test_every_command_of_every_case_is_one_of_routeros() -> None:
    typed = {
        of_7(filled(line.strip().removeprefix("type ")))
        for param in CASES
        for line in param.values[0].lines
        if line.startswith(("    type ", "  type "))
    }
    lines = sorted(line for line in typed if not any(word in line for word in ONLY_IN_6))
    assert len(lines) > 50
    text = "\n".join(lines) + "\n"
    assert lint.check("remedies", text, hardware=True, in_passing=True) == []
