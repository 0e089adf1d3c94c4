"""Parts of the router in the page: images/page-router/contents.yml."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel

FILE = "contents.yml"

TESTER = "ppstraffic"
"""Our own program among the others."""


class Modules(StrictModel):
    """The kernel modules, without those that they need."""

    loaded: tuple[str, ...] = Field(description="loaded before the state is saved")
    there: tuple[str, ...] = Field(description="loaded when somebody asks for what they do")


class Contents(StrictModel):
    """Packages of one Debian release, and what of them is taken."""

    suite: str = Field(description="Debian's name of the release")
    packages: dict[str, tuple[str, ...]] = Field(
        description="package to the files and folders that are taken, `*` allowed"
    )
    libraries: tuple[str, ...] = Field(description="packages of what the programs are linked with")
    development: tuple[str, ...] = Field(
        description="packages that ppstraffic is compiled with; none of them is in the page"
    )
    modules: Modules = Field(description="kernel modules")
    features: frozenset[str] = Field(
        description="features of labs and conditions (testbed/backends/capabilities) that it has"
    )
    lacks: dict[str, str] = Field(
        description="what tasks call that it has not: its name to an expression of a shell's line"
    )
    wired: str = Field(description="the topology that stands in the saved state")
    memory_mb: int = Field(ge=64, le=512, description="memory of the emulated machine, MiB")
    words: str = Field(description="the kernel's command line")

    def names(self) -> tuple[str, ...]:
        return (*self.packages, *self.libraries)

    def programs(self) -> set[str]:
        """The programs that are there besides BusyBox's, by their names."""
        taken = (pattern for patterns in self.packages.values() for pattern in patterns)
        return {pattern.rpartition("/")[2] for pattern in taken if "bin/" in pattern} | {TESTER}


def load(folder: Path) -> Contents:
    """Read the contents; FileError says what is wrong with them, and in which line."""
    return fitting.validate(documents.load_yaml(folder / FILE), Contents)
