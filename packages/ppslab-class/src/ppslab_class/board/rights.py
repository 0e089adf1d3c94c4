"""Who may do what: the one table that the server asks, and that the tests go through row by row."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Role: TypeAlias = Literal["learner", "instructor", "projector"]
Right: TypeAlias = Literal[
    "leave",
    "tell of oneself",
    "hear messages",
    "see the class",
    "act on the class",
    "see the projector",
    "read locked pages",
    "see the slides",
    "show one's terminal",
    "see a terminal",
    "type at a terminal",
]

RIGHTS: Final[dict[Right, frozenset[Role]]] = {
    "leave": frozenset({"learner", "instructor", "projector"}),
    "tell of oneself": frozenset({"learner"}),
    "hear messages": frozenset({"learner"}),
    "see the class": frozenset({"instructor"}),
    "act on the class": frozenset({"instructor"}),
    "see the projector": frozenset({"instructor", "projector"}),
    "read locked pages": frozenset({"instructor", "projector"}),
    # With them come the speaker's notes, and what is not due yet.
    "see the slides": frozenset({"instructor", "projector"}),
    "show one's terminal": frozenset({"learner"}),
    # Each needs the learner's agreement besides, which `screens` keeps.
    "see a terminal": frozenset({"instructor"}),
    "type at a terminal": frozenset({"instructor"}),
}
"""A learner is named by its token, never by what it sends: it can tell of no other seat."""


def may(role: Role | None, right: Right) -> bool:
    """Whether somebody may; None: who has shown no token."""
    return role is not None and role in RIGHTS[right]
