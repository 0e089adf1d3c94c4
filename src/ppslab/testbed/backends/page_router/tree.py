"""The files of the router in the page: what is taken of the packages, and what that needs."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from ppslab.core.errors import CannotHereError

LIBRARIES = ("lib/i386-linux-gnu", "usr/lib/i386-linux-gnu", "lib")


def unpack(files: Iterable[Path], into: Path) -> None:
    """Unpack .deb files into one tree."""
    into.mkdir(parents=True)
    for file in files:
        subprocess.run(["dpkg-deb", "-x", file, into], check=True)


def settings(whole: Path, names: Iterable[str], slim: Path) -> None:
    """Copy files that programs read into `slim`."""
    for name in names:
        _copy(whole / name, slim / name)


def programs(whole: Path, patterns: Iterable[str], slim: Path) -> None:
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


def modules(whole: Path, names: Sequence[str], slim: Path) -> str:
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
