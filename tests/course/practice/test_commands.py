"""RouterOS knows every command of cases and drills: exports, questions, remedies, mistakes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ppslab.course import practice
from ppslab.testbed.routers.routeros.rsc import lint
from rosexplain.parse import parsed

SMALL_CHIPS = ("'vlan' is not a menu", "'default-vlan-id'", "'vlan-mode'", "'vlan-header'")
"""The VLAN table of small switch chips: no command tree has it, and MikroTik's manual does."""


EVERY: dict[str, practice.Exercise] = practice.cases() | practice.drills()


def texts(one: practice.Exercise) -> Iterator[str]:
    yield one.export
    # `once` is a word of every monitor; where a tree does not have it, it is not asked about.
    yield "\n".join(each.command.removesuffix(" once") for each in one.outputs)
    yield from one.solutions
    yield from (mistake.run for mistake in one.mistakes)


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_routeros_knows_the_commands(name: str) -> None:
    version = parsed(EVERY[name].export, name).header["version"][0]
    wanted = [".".join(version.split(".")[:2])]
    strange = [
        finding
        for text in texts(EVERY[name])
        for finding in lint.check(name, f"/\n{text}\n", hardware=True, wanted=wanted,
                                  in_passing=True)
        if not str(finding.message).startswith(SMALL_CHIPS)
    ]  # fmt: skip
    assert strange == []
