"""RouterOS knows every command of a case: its export, what is asked, the remedies, the mistakes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ppslab.course import cases
from ppslab.testbed.routers.routeros.rsc import lint
from rosexplain.parse import parsed

SMALL_CHIPS = ("'vlan' is not a menu", "'default-vlan-id'", "'vlan-mode'", "'vlan-header'")
"""The VLAN table of small switch chips: no command tree has it, and MikroTik's manual does."""


def texts() -> Iterator[tuple[str, str]]:
    for name, case in cases.every():
        yield name, case.export
        # `once` is a word of every monitor; where a tree does not have it, it is not asked about.
        yield name, "\n".join(each.command.removesuffix(" once") for each in case.outputs)
        for solution in case.solutions:
            yield name, solution
        for mistake in case.mistakes:
            yield name, mistake.run


@pytest.mark.long
@pytest.mark.parametrize("name", cases.names())
def test_routeros_knows_the_commands(name: str) -> None:
    version = parsed(cases.load(name).export, name).header["version"][0]
    wanted = [".".join(version.split(".")[:2])]
    strange = [
        finding
        for of, text in texts()
        if of == name
        for finding in lint.check(name, f"/\n{text}\n", hardware=True, wanted=wanted,
                                  in_passing=True)
        if not str(finding.message).startswith(SMALL_CHIPS)
    ]  # fmt: skip
    assert strange == []
