"""The rooms of ppstraffic's sources: what a file includes is in its own room or in one below."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.core.paths import project_root

SOURCES = project_root() / "traffic/src"
ORDER = ("machine", "frames", "sending", "receiving", ".")
"""From the lowest up."""


def upward(sources: Path) -> list[str]:
    """Each include of a room above, or of one that nobody named."""
    found = []
    for path in sorted(sources.rglob("*.[ch]")):
        room = str(path.parent.relative_to(sources))
        below = ORDER[: ORDER.index(room) + 1]
        for name in re.findall(r'^#include "(.+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            if str(Path(name).parent) not in below:
                found.append(f"{path.relative_to(sources)} includes {name}")
    return found


def test_no_room_takes_from_one_above() -> None:
    assert upward(SOURCES) == []


@pytest.mark.parametrize("above", ["sending/port.h", "trial.h"])
def test_an_include_of_a_room_above_is_found(tmp_path: Path, above: str) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames/flow.c").write_text(f'#include "machine/error.h"\n#include "{above}"\n')
    assert upward(tmp_path) == [f"frames/flow.c includes {above}"]
