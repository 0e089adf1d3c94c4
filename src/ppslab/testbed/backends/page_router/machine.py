"""The machine in the page as files: Debian's packages, what is taken of them, and our own programs.

Packages: apt-get has lists, a cache and a status of its own here (apt.conf(5)), so that neither a
foreign architecture nor another release has to be added to the machine.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field
from virtme.cpiowriter import CpioWriter  # type: ignore[import-untyped]

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import CannotHereError

# --- its parts: images/page-router/contents.yml ---------------------------------------------------


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


# --- packages for another processor, fetched without touching this machine's own dpkg -------------


ARCHITECTURE = "i386"
MIRROR = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SOURCES = "https://sources.debian.org/src"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    source: str
    """The name of its source package, whose sources Debian keeps (SOURCES)."""
    sha256: str
    file: Path

    def facts(self) -> dict[str, str]:
        """Its origin, for the manifest."""
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
        self._suite = suite
        self._debs = folder / "debs"
        for part in ("lists/partial", "cache/archives/partial", "debs"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        archives = ((MIRROR, suite), (MIRROR, f"{suite}-updates"), (SECURITY, f"{suite}-security"))
        lines = [f"deb [signed-by={KEYRING}] {mirror} {name} main\n" for mirror, name in archives]
        (folder / "sources.list").write_text("".join(lines), encoding="ascii")
        settings = {
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
        self._options = [w for name, value in settings.items() for w in ("-o", f"{name}={value}")]

    def fetch(self, names: Sequence[str], say: Progress) -> list[Package]:
        """The packages in their order, from the folder where they are, else from the mirror.

        A metapackage is replaced by what it depends on.  Raises CannotHereError.
        """
        say(f"Debian {self._suite}, {ARCHITECTURE}: lists ...")
        try:
            self._apt("apt-get", "update", "-qq")
        except CannotHereError as error:  # a mirror in mid-sync; older lists may do
            say(str(error))
        wanted = [self._real(name) for name in names]
        say(f"{len(wanted)} packages ...")
        before = {path.name for path in self._debs.iterdir()}
        self._apt("apt-get", "download", "-qq", *wanted, where=self._debs)
        for path in self._debs.iterdir():
            if path.name in before and path.name.partition("_")[0] not in wanted:
                path.unlink()
        found = {package.name: package for package in map(_package, self._debs.glob("*.deb"))}
        return [found[name] for name in wanted]

    def _apt(self, program: str, *words: str, where: Path | None = None) -> str:
        try:
            done = subprocess.run(
                [program, *self._options, *words],
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


# --- the tree: what is taken of the packages, and what that needs ---------------------------------


LIBRARIES = ("lib/i386-linux-gnu", "usr/lib/i386-linux-gnu", "lib")


def unpack(packages: Iterable[Package], into: Path) -> None:
    into.mkdir(parents=True)
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", package.file, into], check=True)


def put_programs(whole: Path, patterns: Iterable[str], slim: Path) -> None:
    """Copy programs into `slim`, with the libraries that they are linked with."""
    copied: set[str] = set()
    for pattern in patterns:
        files = sorted(whole.glob(pattern))
        if not files:
            raise CannotHereError(f"no {pattern} in the packages of the router in the page", "")
        for file in files:
            _copy(file, slim / pattern.removeprefix("usr/"))
            _libraries(whole, file, slim, copied)


def _libraries(whole: Path, file: Path, slim: Path, copied: set[str]) -> None:
    dynamic = subprocess.run(
        ["readelf", "-d", "-l", file], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"Shared library: \[([^\]]*)\]", dynamic)
    loader = re.findall(r"program interpreter: /lib/([^\]]*)\]", dynamic)
    for name in (*names, *loader):
        if name in copied:
            continue
        copied.add(name)
        places = (whole / folder / name for folder in LIBRARIES)
        found = next((place for place in places if place.exists()), None)
        if found is None:
            raise CannotHereError(
                f"{file.relative_to(whole)} is linked with {name}, which no package of "
                "images/page-router/contents.yml brings",
                f"Find it on a Debian: apt-file search {name}; add its package to `libraries`.",
            )
        _copy(found, slim / "lib" / name)
        _libraries(whole, found, slim, copied)


def put_modules(whole: Path, names: Sequence[str], slim: Path) -> str:
    """Copy kernel modules into `slim` with those that they need; the kernel's version."""
    (place,) = (whole / "lib/modules").iterdir()
    version = place.name
    _depmod(whole, version)
    needs = {}
    for line in (place / "modules.dep").read_text(encoding="ascii").splitlines():
        path, _, others = line.partition(":")
        needs[_name(path)] = (path, *others.split())
    built_in = set(map(_name, (place / "modules.builtin").read_text("ascii").splitlines()))
    for name in names:
        if name not in needs and name not in built_in:
            raise CannotHereError(f"kernel {version} has no module {name}", "")
        for path in needs.get(name, ()):
            _copy(place / path, slim / "lib/modules" / version / path)
    made = slim / "lib/modules" / version
    only_depmod = ("modules.order", "modules.builtin", "modules.builtin.modinfo")
    for file in only_depmod:
        _copy(place / file, made / file)
    _depmod(slim, version)
    for file in only_depmod:
        (made / file).unlink()
    return version


def _name(path: str) -> str:
    return Path(path).name.partition(".ko")[0].replace("-", "_")


def _depmod(tree: Path, version: str) -> None:
    subprocess.run(["depmod", "-b", tree, version], check=True, stderr=subprocess.DEVNULL)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if target.parent.name in ("bin", "sbin", "lib") else 0o644)


# --- our own programs: the tasks send with the same tester there ----------------------------------


OBJECTS = "usr/lib/ppslab/bpf"
"""Folder of the BPF objects, as in the image of the Linux router."""

# libgcc is linked in: its shared half is in another package, and few PCs have it for i386.
_FLAGS = ("-m32", "-march=i686", "-std=gnu11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-O2",
          "-pthread", "-static-libgcc", "-s")  # fmt: skip


def put_own(sources: Path, objects: Sequence[Path], headers: Path, slim: Path) -> None:
    """Compile ppstraffic into the tree `slim`, and copy the BPF objects there.

    `sources`: the folder of its sources.
    `headers`: a tree with the C library's development files for the page's processor.
    Raises CannotHereError where this machine's compiler cannot.
    """
    program = slim / "bin/ppstraffic"
    crt = headers / "usr/lib/i386-linux-gnu"
    (libgcc,) = (headers / "usr/lib/gcc/i686-linux-gnu").iterdir()
    where = [flag for path in (libgcc, crt) for flag in (f"-B{path}", f"-L{path}")]
    command: list[str | Path] = ["gcc", *_FLAGS, f"--sysroot={headers}", *where,
               "-isystem", headers / "usr/include/i386-linux-gnu", f"-I{sources}",
               "-o", program, *sorted(sources.rglob("*.c")), "-lm"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotHereError(
            f"ppstraffic was not compiled for the router in the page:\n{done.stderr[-2000:]}",
            "gcc for x86 with -m32 compiles it: build on a PC.",
        )
    program.chmod(0o755)
    folder = slim / OBJECTS
    folder.mkdir(parents=True)
    for path in sorted(objects):
        shutil.copyfile(path, folder / path.name)
        (folder / path.name).chmod(0o644)


# --- kernel, initramfs, firmware ------------------------------------------------------------------


OURS = {"init": 0o755, "pinned": 0o755, "serve": 0o755, "shell-rc": 0o644}
"""The files of images/page-router that go into it, with their modes."""

EMPTY = ("bb", "dev", "proc", "sys", "run", "tmp")


def prepare(
    sources: Path,
    contents: Contents,
    packages: Sequence[Package],
    scratch: Path,
    own: Callable[[Path], None],
) -> Path:
    """A folder with kernel, initramfs and firmware: all that a cold boot needs.

    `own`: puts our own programs into the tree of the initramfs.
    """
    whole, slim, made = scratch / "whole", scratch / "slim", scratch / "made"
    unpack(packages, whole)
    slim.mkdir()
    made.mkdir()
    for patterns in contents.packages.values():
        wanted = [each for each in patterns if "bin/" in each]
        put_programs(whole, wanted, slim)
        for name in patterns:
            if name.startswith("etc/"):
                _copy(whole / name, slim / name)
    own(slim)
    version = put_modules(whole, (*contents.modules.loaded, *contents.modules.there), slim)
    for name, mode in OURS.items():
        shutil.copyfile(sources / name, slim / name)
        (slim / name).chmod(mode)
    (slim / "modules").write_text(" ".join(contents.modules.loaded) + "\n", encoding="ascii")
    (made / "initramfs.gz").write_bytes(packed(slim))
    shutil.copyfile(whole / f"boot/vmlinuz-{version}", made / "vmlinuz")
    for name in ("bios.bin", "vgabios-stdvga.bin"):
        shutil.copyfile(whole / "usr/share/seabios" / name, made / name)
    return made


def packed(slim: Path) -> bytes:
    """The tree as a cpio archive, in one order and without times: the same tree, the same bytes."""
    out = io.BytesIO()
    archive = CpioWriter(out)
    for name in EMPTY:
        archive.mkdir(name.encode(), 0o755)
    for path in sorted(slim.rglob("*")):
        inside = path.relative_to(slim).as_posix().encode()
        if path.is_dir():
            archive.mkdir(inside, 0o755)
        else:
            archive.write_file(inside, body=path.read_bytes(), mode=path.stat().st_mode & 0o777)
    archive.write_trailer()
    return gzip.compress(out.getvalue(), 9, mtime=0)
