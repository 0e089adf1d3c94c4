"""Wheels for the browser's Python: one of our own modules, and those that packages came from."""

from __future__ import annotations

import email.message
import email.parser
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PathDistribution
from pathlib import Path

from packaging.requirements import Requirement

from ppslab.core.errors import CannotHereError

# A zip file's times begin here; without them the same content makes the same wheel.
FIRST_DAY = (1980, 1, 1, 0, 0, 0)

BROWSER = {
    "implementation_name": "cpython",
    "implementation_version": "3.14.0",
    "os_name": "posix",
    "platform_machine": "wasm32",
    "platform_python_implementation": "CPython",
    "platform_system": "Emscripten",
    "python_full_version": "3.14.0",
    "python_version": "3.14",
    "sys_platform": "emscripten",
    "extra": "",
}
"""Pyodide's values for the markers of requirements."""


@dataclass(frozen=True)
class Wheel:
    """A wheel that was written: its file, and what Pyodide's lock says of it."""

    path: Path
    name: str
    version: str
    imports: tuple[str, ...]
    depends: tuple[str, ...]


UNUSED = ("jedi/third_party/typeshed/stubs/", "jedi/third_party/django-stubs/")
"""Four thousand files on packages that are not in the browser, unpacked at every start."""


def canonical(name: str) -> str:
    """A package's name as indexes compare them (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pack(
    folder: Path, name: str, version: str, files: Mapping[str, bytes], depends: Iterable[str] = ()
) -> Wheel:
    """Write `name-version-py3-none-any.whl` of these files into the folder."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tag = "Wheel-Version: 1.0\nGenerator: ppslab\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    whole = dict(files)
    whole.setdefault(f"{info}/METADATA", metadata.encode())
    whole[f"{info}/WHEEL"] = tag.encode()
    whole[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in sorted(whole)).encode()
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for inside in sorted(whole):
            archive.writestr(zipfile.ZipInfo(inside, FIRST_DAY), whole[inside],
                             zipfile.ZIP_DEFLATED)  # fmt: skip
    return Wheel(path, canonical(name), version, _imports(whole), tuple(depends))


def of_installed(site: Path, folder: Path, leave: Iterable[str] = ()) -> Iterator[Wheel]:
    """A wheel of every distribution that is installed below `site`, but for those in `leave`.

    CannotHereError for one with compiled modules: Pyodide could not load them.
    """
    left = set(leave)
    found = {
        canonical(distribution.metadata["Name"]): distribution
        for distribution in map(PathDistribution, sorted(site.glob("*.dist-info")))
    }
    for name, distribution in found.items():
        if name in left:
            continue
        wanted = [Requirement(each) for each in distribution.requires or ()]
        depends = [
            canonical(each.name)
            for each in wanted
            if not each.marker or each.marker.evaluate(BROWSER)
        ]
        yield pack(
            folder,
            name,
            distribution.version,
            _files(site, distribution, name),
            sorted({each for each in depends if each in found} - left),
        )


def _files(site: Path, distribution: PathDistribution, name: str) -> dict[str, bytes]:
    found = {}
    for file in distribution.files or ():
        inside = file.as_posix()
        # Scripts, and what belongs to a Jupyter that is not in the browser, lie outside.
        if inside.startswith(("../", "bin/", "etc/", "share/", *UNUSED)) or "__pycache__" in inside:
            continue
        if file.suffix in (".so", ".pyd"):
            raise CannotHereError(f"{name}: {inside} is compiled for this machine")
        if file.name not in ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD", "WHEEL"):
            found[inside] = (site / inside).read_bytes()
    return found


def read(path: Path, depends: Iterable[str]) -> Wheel:
    """The description of a wheel that others packed."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        metadata = next(each for each in names if each.endswith(".dist-info/METADATA"))
        words: email.message.Message = email.parser.Parser().parsestr(
            archive.read(metadata).decode()
        )
    return Wheel(path, canonical(words["Name"]), words["Version"], _imports(names), tuple(depends))


def _imports(names: Iterable[str]) -> tuple[str, ...]:
    modules = [each for each in names if ".dist-info/" not in each and each.endswith(".py")]
    return tuple(sorted({each.split("/")[0].partition(".")[0] for each in modules}))
