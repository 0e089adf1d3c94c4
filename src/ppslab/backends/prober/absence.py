"""Why a feature is missing, as a type: the choice of a backend depends on it."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Obstacle(StrEnum):
    """What prevents a feature; each obstacle has its own remedy."""

    NO_PROGRAM = "no-program"
    """A program is not installed, so the kernel was never asked."""
    NOT_ALLOWED = "not-allowed"
    """This user is not allowed to; root is."""
    RESTRICTED = "restricted"
    """This system does not let users map themselves into a user namespace."""
    REFUSED = "refused"
    """The kernel or a tool refused."""
    LATE = "late"
    """A command did not end in time: the machine was busy, and the kernel may have it."""
    NOT_TRIED = "not-tried"
    """There was no namespace to try it in, or the prober failed."""


@dataclass(frozen=True)
class Absence:
    """Why a feature is missing.

    detail: what happened, in words; empty if a program is missing.
    program: the program that is not installed.
    """

    obstacle: Obstacle
    detail: str = ""
    program: str = ""

    @property
    def sentence(self) -> str:
        """The reason in words, for a reader."""
        return f"{self.program} is not installed" if self.program else self.detail

    def data(self) -> dict[str, str]:
        """As plain data, for JSON; `of` reads it."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Absence:
        """What `data` wrote; ValueError, KeyError or TypeError for anything else."""
        return cls(Obstacle(data["obstacle"]), data["detail"], data["program"])


class AbsentError(Exception):
    """A feature is missing."""

    def __init__(self, absence: Absence) -> None:
        super().__init__(absence.sentence)
        self.absence = absence


def no_program(name: str) -> AbsentError:
    """A program is not installed."""
    return AbsentError(Absence(Obstacle.NO_PROGRAM, program=name))


def refused(detail: str) -> AbsentError:
    """The kernel or a tool refused."""
    return AbsentError(Absence(Obstacle.REFUSED, detail))


def failed(what: str, number: int | None) -> AbsentError:
    """A system call failed with this errno."""
    return AbsentError(of_errno(number, f"{what}: {os.strerror(number or 0)}"))


def of_errno(number: int | None, detail: str) -> Absence:
    """The absence that an errno means."""
    forbidden = number in (errno.EPERM, errno.EACCES)
    return Absence(Obstacle.NOT_ALLOWED if forbidden else Obstacle.REFUSED, detail)
