"""Modules as MicroPython runs them: what is taken away, and the classes that become plain ones."""

from __future__ import annotations

import doctest
from collections import namedtuple
from typing import Any

import pytest

from ppslab.core.documents import micropython

WRITTEN = '''
"""A module."""
from __future__ import annotations
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias
from enum import StrEnum
if TYPE_CHECKING:
    import nothing_that_is_there

Range: TypeAlias = tuple[int, int]

class Path(StrEnum):
    FAST = "fast path"

class Pair(NamedTuple):
    left: int
    right: int

@dataclass(frozen=True)
class Hop:
    """A hop."""
    name: str
    cost: int = 1
    """Nanoseconds."""
    UNIT: ClassVar[str] = "ns"

    def dearer(self, by: int) -> Hop:
        """A dearer one."""
        return replace(self, cost=self.cost + by)

@dataclass
class Way:
    hops: list[Hop] = field(default_factory=list)
    whole: bool = False

    def __post_init__(self) -> None:
        self.whole = bool(self.hops)

SUM = ([*range(2), 2, *"ab"], (0, *(1, 2)), [[*()]])
first, *others = SUM
'''


def run(text: str) -> dict[str, Any]:
    """The names of a module after it ran, with MicroPython's stand-ins in the place of Python's."""
    names: dict[str, Any] = {"namedtuple": namedtuple}
    exec(micropython.STAND_INS["dataclasses.py"], names)
    lines = [line for line in text.splitlines() if not line.startswith(("from ", "import "))]
    exec("\n".join(lines), names)
    return names


def test_the_example_of_the_module_is_right() -> None:
    assert doctest.testmod(micropython).failed == 0


@pytest.mark.parametrize("lowered", [False, True])
def test_a_lowered_class_is_as_python_s(lowered: bool) -> None:
    if lowered:
        names = run(micropython.lowered(WRITTEN))
    else:
        names = {}
        exec(WRITTEN, names)
    hop = names["Hop"]("ether1")
    assert (hop.name, hop.cost, hop.UNIT) == ("ether1", 1, "ns")
    assert hop == names["Hop"]("ether1", 1) != names["Hop"]("ether1", 2)
    assert {hop: "seen"}[names["Hop"]("ether1")] == "seen"
    assert hop.dearer(2).cost == 3 and hop.cost == 1
    assert names["Way"]().hops is not names["Way"]().hops
    assert not names["Way"]().whole and names["Way"]([hop]).whole
    assert names["Path"].FAST == "fast path"
    assert names["SUM"] == ([0, 1, 2, "a", "b"], (0, 1, 2), [[]])
    assert (names["first"], names["others"]) == (names["SUM"][0], [*names["SUM"][1:]])
    assert names["Pair"](1, 2) == (1, 2) and names["Pair"](1, 2).right == 2


def test_what_only_a_type_checker_and_a_reader_need_is_gone() -> None:
    text = micropython.lowered(WRITTEN)
    gone_too = ("dataclass(", "__future__", "nothing_that_is_there", '"""', "-> ", ": int")
    for gone in ("[*", ", *(", *gone_too):
        assert gone not in text, gone


@pytest.mark.parametrize(
    "text",
    [
        "class Pair(NamedTuple):\n    left: int = 1",
        "class Pair(NamedTuple):\n    left: int\n    def sum(self): ...",
        "@dataclass\nclass Hop:\n    cost: int = field(default=1, repr=False)",
    ],
)
def test_what_micropython_cannot_have_is_refused(text: str) -> None:
    with pytest.raises(SyntaxError, match=r"Pair|Hop"):
        micropython.lowered(text)
