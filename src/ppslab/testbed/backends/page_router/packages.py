"""Debian's packages for another processor, fetched without touching this machine's own dpkg.

apt-get has lists, a cache and a status of its own here (apt.conf(5)), so that neither a foreign
architecture nor another release has to be added to the machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ppslab.core.errors import CannotHereError

ARCHITECTURE = "i386"
MIRROR = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SOURCES = "https://sources.debian.org/src"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Package:
    """A package that was fetched."""

    name: str
    version: str
    source: str
    """The name of its source package, whose sources Debian keeps (SOURCES)."""
    sha256: str
    file: Path

    def facts(self) -> dict[str, str]:
        """Where it comes from, for the manifest."""
        return {
            "package": self.name,
            "version": self.version,
            "sha256": self.sha256,
            "sources": f"{SOURCES}/{self.source}/{self.version.partition(':')[2] or self.version}/",
        }


class Archive:
    """One release of Debian, for one processor, with its lists in a folder."""

    def __init__(self, suite: str, folder: Path) -> None:
        if not KEYRING.is_file():
            raise CannotHereError(
                f"{KEYRING} is not here, by which Debian's packages are checked",
                "On Debian or Ubuntu: sudo apt-get install debian-archive-keyring.",
            )
        self._folder = folder
        self._suite = suite

    def fetch(self, names: Sequence[str], say: Progress) -> list[Package]:
        """The packages in their order, from the folder where they are, else from the mirror.

        A metapackage is replaced by what it depends on.  Raises CannotHereError.
        """
        self._lay_out()
        say(f"Debian {self._suite}, {ARCHITECTURE}: lists ...")
        try:
            self._apt("apt-get", "update", "-qq")
        except CannotHereError as error:  # a mirror in mid-sync; older lists may do
            say(str(error))
        wanted = [self._real(name) for name in names]
        say(f"{len(wanted)} packages ...")
        debs = self._folder / "debs"
        before = {path.name for path in debs.iterdir()}
        self._apt("apt-get", "download", "-qq", *wanted, where=debs)
        for path in debs.iterdir():
            if path.name in before and not self._wanted(path, wanted):
                path.unlink()
        found = {package.name: package for package in map(_package, debs.glob("*.deb"))}
        return [found[name] for name in wanted]

    def _wanted(self, path: Path, wanted: list[str]) -> bool:
        return path.name.partition("_")[0] in wanted

    def _lay_out(self) -> None:
        for part in ("lists/partial", "cache/archives/partial", "debs"):
            (self._folder / part).mkdir(parents=True, exist_ok=True)
        (self._folder / "status").touch()
        lines = [
            f"deb [signed-by={KEYRING}] {MIRROR} {self._suite} main",
            f"deb [signed-by={KEYRING}] {MIRROR} {self._suite}-updates main",
            f"deb [signed-by={KEYRING}] {SECURITY} {self._suite}-security main",
        ]
        (self._folder / "sources.list").write_text("\n".join(lines) + "\n", encoding="ascii")

    def _options(self) -> list[str]:
        folder = self._folder
        told = {
            "APT::Architecture": ARCHITECTURE,
            "APT::Architectures": ARCHITECTURE,
            "APT::Sandbox::User": "",
            "Dir::Etc::sourcelist": folder / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder / "cache",
            "Debug::NoLocking": 1,
            "Acquire::Languages": "none",
        }
        return [word for name, value in told.items() for word in ("-o", f"{name}={value}")]

    def _apt(self, program: str, *words: str, where: Path | None = None) -> str:
        try:
            done = subprocess.run(
                [program, *self._options(), *words],
                cwd=where,
                env={**os.environ, "LC_ALL": "C"},
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise CannotHereError(
                f"the router in the page is made of Debian's packages, and {program} is not here",
                "Build it on Debian or Ubuntu.",
            ) from error
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise CannotHereError(f"{program} {' '.join(words)}: {last}", "")
        return done.stdout

    def _real(self, name: str) -> str:
        """The package of a kernel's own version, where `name` only points to it."""
        if not re.fullmatch(r"linux-image-[0-9]*86[a-z-]*", name):
            return name
        listed = self._apt("apt-cache", "depends", name)
        first = re.search(r"Depends: (linux-image-\d[^ \n]*)", listed)
        return first.group(1) if first else name


def _package(file: Path) -> Package:
    asked = "--showformat=${Package}\n${Version}\n${source:Package}"
    done = subprocess.run(
        ["dpkg-deb", "-W", asked, file], capture_output=True, text=True, check=True
    )
    name, version, source = done.stdout.splitlines()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Package(name, version, source, digest, file)
