"""Building the router in the page: packages, tree, initramfs, and the state of a machine that runs.

A reader who had to wait for a kernel to boot would be gone.  So it is booted here, once, and its
memory is kept: the page goes on where this stopped.  The same packages make the same initramfs,
byte by byte; a state is another at each boot, for a machine has a clock.  So a state's name holds
its own digest, and the manifest says of what, and with which emulator, it was made.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppslab.core import documents
from ppslab.core.errors import CannotHereError
from ppslab.core.paths import cache_dir
from ppslab.model.lab import topology
from ppslab.testbed.backends.page_router import machine
from ppslab.testbed.backends.page_router.machine import Archive, Contents, Progress, load
from ppslab.testbed.backends.page_router.standing import Lab, stand_up

MANIFEST, SOURCES, MISSING = "manifest.json", "SOURCES.txt", "missing.txt"
BOOT_SECONDS = 600
COMPRESSION = ("--ultra", "-22")
PROGRAMS = {"apt-get": "apt", "dpkg-deb": "dpkg", "readelf": "binutils", "depmod": "kmod",
            "zstd": "zstd", "gcc": "gcc"}  # fmt: skip
"""Programs that it is built with, and their Debian packages."""

MOST_BYTES = 11_500_000
"""Of the state: with half a megabyte of emulator and terminal, a reader loads at most 12 MB."""

COLD = ("vmlinuz", "initramfs.gz", "bios.bin", "vgabios-stdvga.bin")
"""Files of a boot in the page, where the state does not fit."""

C_LIBRARY = "libc6"
"""The C library that programs are compiled and linked with."""

NOT_BUILT_BY = ("__init__.py", "counting.py", "standing.py")
"""Modules beside this one that decide nothing of what is built."""

OF_SOURCES = """\
What the router in the page is made of.

Programs and kernel are Debian's, unchanged, but for files that are left out.  Each package's
copyright file says under which licence it may be passed on; the kernel, BusyBox, iproute2,
nftables and conntrack are under the GNU General Public License, version 2 or later.
Their complete sources are at the address beside each package.
The emulator is v86 {v86} (BSD-2-Clause): https://github.com/copy/v86

"""


@dataclass(frozen=True)
class Parts:
    sources: Path
    """The folder images/page-router."""
    emulator: Path
    """The folder of npm's v86."""
    traffic: Path
    """The folder of ppstraffic's sources."""
    objects: Path
    """The folder of the BPF objects, compiled."""

    @property
    def programs(self) -> list[Path]:
        """The BPF objects.  CannotHereError where there are none."""
        objects = sorted(self.objects.glob("*.o"))
        if not objects:
            raise CannotHereError(f"no BPF program is in {self.objects}", "make bpf")
        return objects


@dataclass(frozen=True)
class Built:
    state: Path
    bytes: int
    """Of the compressed state: what a reader loads besides the emulator."""
    fresh: bool
    """False: it was there already, made of the same."""


def build(parts: Parts, node: Path, folder: Path, say: Progress) -> Built:
    """Build it of its parts into `folder`, whole or not at all.

    Nothing is done where the folder was made of the same sources, by the same code, with the same
    emulator.  `node`: the program that runs the emulator.
    Raises FileError for wrong contents, CannotHereError where a part cannot be had.
    """
    contents = load(parts.sources)
    wired = stand_up(topology.find(contents.wired), contents.programs())
    inputs = digest_of_inputs(parts, wired)
    if made := _made_of(folder, inputs):
        return Built(made, made.stat().st_size, fresh=False)
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            raise CannotHereError(
                f"the router in the page is built with {program}, which is not here",
                f"On Debian or Ubuntu: sudo apt-get install {package}.",
            )
    archive = Archive(contents.suite, cache_dir() / "page-router" / contents.suite)
    packages = archive.fetch((*contents.names(), *contents.development), say)
    shipped = packages[: len(contents.names())]
    with tempfile.TemporaryDirectory(prefix="ppslab-page-router-") as scratch:
        say("the initramfs ...")

        def own(slim: Path) -> None:
            headers = Path(scratch) / "headers"
            wanted = [each for each in packages if each.name in (C_LIBRARY, *contents.development)]
            machine.unpack(wanted, headers)
            machine.put_own(parts.traffic, parts.programs, headers, slim)

        made = machine.prepare(parts.sources, contents, shipped, Path(scratch), own)
        say("booting it once; a minute or two ...")
        seconds = _boot(parts, contents, wired, node, made)
        state = _compressed(made / "state.bin")
        manifest: dict[str, Any] = {
            "inputs": inputs,
            "boot_seconds": round(seconds, 1),
            "state": state.name,
            "wired": {"digest": wired.digest, "away": wired.away},
            "files": {name: _facts(made / name) for name in (state.name, *COLD)},
            "v86": _version(parts.emulator),
            "memory_mb": contents.memory_mb,
            "words": contents.words,
            "programs": sorted(contents.programs()),
            "kernel": next(p.version for p in shipped if p.name.startswith("linux-image")),
            "packages": [package.facts() for package in shipped],
        }
        documents.write_json(made / MANIFEST, manifest)
        sources = "".join(
            f"{p['package']} {p['version']}\n"
            f"    sources  {p['sources']}\n"
            f"    sha256   {p['sha256']}\n"
            for p in manifest["packages"]
        )
        text = OF_SOURCES.format(v86=manifest["v86"]) + sources
        (made / SOURCES).write_text(text, encoding="utf-8")
        if state.stat().st_size > MOST_BYTES:
            raise CannotHereError(
                f"the state has {state.stat().st_size} bytes, and a reader is to load at most "
                f"{MOST_BYTES}",
                "Take something out of images/page-router/contents.yml.",
            )
        _put(made, folder)
    return Built(folder / state.name, manifest["files"][state.name]["bytes"], fresh=True)


def digest_of_inputs(parts: Parts, wired: Lab) -> str:
    """A digest of all that decides what is built, but for the packages' versions."""
    digest = hashlib.sha256(f"{_version(parts.emulator)} {wired.digest}".encode())
    folders = (parts.sources, parts.traffic, parts.objects)
    files = [(folder, path) for folder in folders for path in folder.rglob("*")]
    code = Path(__file__).parent
    files += [(code, path) for path in code.glob("*.py")]
    named = {f"{folder.name}/{path.relative_to(folder)}": path for folder, path in files}
    for name, path in sorted(named.items()):
        if path.is_file() and path.name not in NOT_BUILT_BY:
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _made_of(folder: Path, inputs: str) -> Path | None:
    """The state in the folder, where it is whole and was made of these inputs."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        whole = all(
            (folder / name).stat().st_size == facts["bytes"]
            for name, facts in manifest["files"].items()
        )
        fits = manifest["inputs"] == inputs
        return folder / manifest["state"] if whole and fits else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _boot(parts: Parts, contents: Contents, wired: Lab, node: Path, made: Path) -> float:
    """Boot it, stand the lab up, and leave state.bin; how many seconds the boot took."""
    told = {"emulator": str(parts.emulator.resolve()), "folder": str(made), "words": contents.words,
            "memory_mb": contents.memory_mb, "script": wired.script,
            "seconds": BOOT_SECONDS}  # fmt: skip
    command = [str(node), str(parts.sources / "save-state.mjs"), json.dumps(told)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CannotHereError(f"{node} is not here", "make page-router installs it.") from error
    if done.returncode:
        raise CannotHereError(
            f"the router in the page did not boot:\n{(done.stdout + done.stderr)[-2000:]}", ""
        )
    return float(json.loads(done.stdout.splitlines()[-1])["boot_seconds"])


def _compressed(state: Path) -> Path:
    packed = state.with_suffix(".zst")
    subprocess.run(["zstd", *COMPRESSION, "--rm", "-q", state, "-o", packed], check=True)
    return packed.rename(state.with_name(f"state-{_facts(packed)['sha256'][:16]}.zst"))


def _facts(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _version(emulator: Path) -> str:
    package = emulator / "package.json"
    try:
        return str(json.loads(package.read_text(encoding="utf-8"))["version"])
    except FileNotFoundError:
        raise CannotHereError(
            f"the router in the page runs under v86, and {package} is not there",
            "Let npm bring what the pages are built with: npm ci --prefix web.",
        ) from None


def _put(made: Path, folder: Path) -> None:
    """Let the folder hold what was made, and nothing of an older build."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    half = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(half, ignore_errors=True)
    shutil.copytree(made, half)
    shutil.rmtree(folder, ignore_errors=True)
    half.rename(folder)


def note_missing(folder: Path, reason: str) -> None:
    """Keep why it could not be built, for the page; an older build stays what it is."""
    if not (folder / MANIFEST).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        documents.write_atomic(folder / MISSING, reason.strip() + "\n")


def manifest_of(folder: Path) -> dict[str, Any]:
    """Read the manifest of a build; CannotHereError with the reason where nothing was built."""
    try:
        return dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except FileNotFoundError:
        pass
    try:
        reason = (folder / MISSING).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        reason = "it has not been built"
    raise CannotHereError(reason, "make page-router builds it, and make site then puts it in.")
