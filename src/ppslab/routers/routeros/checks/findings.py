"""What a check of a router says, and what every check knows of the router beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ppslab.base.errors import BackendError
from ppslab.routers.routeros.api import Api, Row
from ppslab.routers.routeros.rsc.statement import Statement

State = Literal["ok", "spoils", "warns", "unknown"]


@dataclass(frozen=True)
class Finding:
    """The answer of one check.

    `spoils`: numbers of this router would be of something else; `warns`: they would say less than
    they seem to; `unknown`: the router does not tell.  `remedy`: what to do, as a command where
    there is one.  `fact`: what RouterOS does that it follows from, an id of theory/manual/.
    """

    name: str
    state: State
    said: str
    remedy: str = ""
    fact: str = ""


@dataclass(frozen=True)
class Needs:
    """What the run needs of the router.

    `fast_path`: that it is open; `generator`: that the router sends test traffic itself; `here`:
    whether it is a virtual machine of this machine, None: nobody knows; `statements`: what the run
    is going to configure.
    """

    fast_path: bool = True
    generator: bool = False
    here: bool | None = None
    statements: Sequence[Statement] = ()


@dataclass(frozen=True)
class Facts:
    """What the router is."""

    resource: Row
    ports: tuple[Row, ...]
    """Rows of /interface/ethernet."""

    @property
    def chr(self) -> bool:
        """Whether it is a Cloud Hosted Router, a virtual machine."""
        return self.resource.get("board-name", "").startswith("CHR")

    @property
    def version(self) -> str:
        """`7.20.8`, without the channel."""
        return self.resource["version"].split()[0]

    def number(self, key: str) -> int | None:
        """A number of /system/resource; None where it says none."""
        text = self.resource.get(key, "")
        return int(text) if text.isdigit() else None


Check = Callable[[Api, Facts, Needs], Iterator[Finding]]


def facts_of(api: Api) -> Facts:
    """Ask it.  BackendError where what answers is no RouterOS."""
    resource = api.settings("/system/resource")
    if not resource.get("version", "").split() or "board-name" not in resource:
        raise BackendError(f"{api.where} says no version and no board: is it still starting?")
    return Facts(resource, tuple(api.rows("/interface/ethernet")))
