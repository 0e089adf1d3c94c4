"""CHR's image: MikroTik's disk under vrnetlab's launcher, as containerlab's mikrotik_ros wants it.

vrnetlab (MIT) is fetched at one commit; nothing of it is in this project.  What its launcher
leaves out on a machine without KVM is in images/chr/launch.

Its disk is fetched from MikroTik or given, checked, and made into what vrnetlab wants.
MikroTik signs nothing that this could check and the project may not carry its files, so what a
disk must be is a SHA-256: the reader's own (`CHR_SHA256=`), or one that somebody compared and
wrote into images/chr/sha256.txt.  A disk that nobody vouches for is not built from.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx

from ppslab.core.errors import CannotHereError, FileError, PpslabError, UsageError
from ppslab.testbed.backends.images.building import Built, Wishes, make
from ppslab.testbed.backends.images.docker import Docker

# --- the disk -------------------------------------------------------------------------------------


Progress = Callable[[str], None]

#: As public installation scripts fetch it; not reached from the machine where this was written.
MIRROR = "https://download.mikrotik.com/routeros"
VERSION = re.compile(r"7\.\d+(?:\.\d+)?(?:(?:alpha|beta|rc)\d+)?")

#: The kinds of disk that MikroTik offers, as qemu-img calls them, by what is at an offset.
MAGIC = (
    ("zip", 0, b"PK\x03\x04"),
    ("vmdk", 0, b"KDMV"),
    ("qcow2", 0, b"QFI\xfb"),
    ("vhdx", 0, b"vhdxfile"),
    ("vdi", 64, b"\x7f\x10\xda\xbe"),
    ("raw", 510, b"\x55\xaa"),
)


def checked_version(word: str) -> str:
    """A version of RouterOS 7 as MikroTik writes it; UsageError for any other word."""
    if VERSION.fullmatch(word) is None:
        raise UsageError(f"CHR={word} is not a RouterOS 7 version, such as 7.20.8 or 7.22rc1")
    return word


def fetched(version: str, folder: Path, say: Progress, mirror: str = MIRROR) -> Path:
    """The zip of a version's raw disk in `folder`, downloaded if it is not there yet.

    Raises CannotHereError when MikroTik cannot be reached, UsageError when it has no such version.
    """
    name = f"chr-{version}.img.zip"
    there = folder / name
    if there.exists():
        return there
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.part"
    url = f"{mirror}/{version}/{name}"
    say(f"downloading {url} ...")
    try:
        with httpx.stream("GET", url, follow_redirects=True, timeout=60) as answer:
            if answer.status_code == 404:
                raise UsageError(
                    f"{url}: MikroTik has no such file. mikrotik.com/download lists the versions."
                )
            answer.raise_for_status()
            with part.open("wb") as out:
                for block in answer.iter_bytes():
                    out.write(block)
    except httpx.HTTPError as error:
        raise CannotHereError(
            f"{url} cannot be downloaded: {error}",
            f"Download {name} on another machine, then type: "
            f"make chr CHR={version} CHR_FILE=path/to/{name}",
        ) from error
    finally:
        # What was cut off would pass for a whole download the next time.
        if part.exists() and not zipfile.is_zipfile(part):
            part.unlink()
    if not part.exists():
        raise CannotHereError(f"{url} did not return a zip file", "Try again later.")
    return part.rename(there)


def verify(path: Path, expected: str | None, known: Path, again: str) -> str:
    """The SHA-256 of `path`, which must be `expected`, or in the list `known` under its name.

    `again`: the command that the reader would type with the hash once it is compared.
    Raises FileError when it is another, CannotHereError when nothing says what it should be.
    """
    found = sha256(path)
    if expected is not None and re.fullmatch(r"[0-9a-fA-F]{64}", expected) is None:
        raise UsageError(f"CHR_SHA256={expected} is not a SHA-256 of 64 hexadecimal digits")
    wanted = expected.lower() if expected else known_hashes(known).get(path.name)
    if wanted is None:
        raise CannotHereError(
            f"{path} has the SHA-256\n  {found}\nand ppslab cannot tell whether it is right.",
            "Compare it with the SHA-256 that MikroTik publishes, or with a second download over "
            f"another network; if both are the same: {again} CHR_SHA256={found}",
        )
    if found != wanted:
        raise FileError(
            path, None, f"has the wrong SHA-256: {found}, not {wanted}. Delete the file."
        )
    return found


def known_hashes(path: Path) -> dict[str, str]:
    """The hashes that somebody compared: a line is a SHA-256 and a file's name."""
    if not path.exists():
        return {}
    hashes = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if len(words) != 2 or re.fullmatch(r"[0-9a-f]{64}", words[0]) is None:
            raise FileError(path, number, "wants a SHA-256 in small letters and a file's name")
        hashes[words[1]] = words[0]
    return hashes


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kind_of(path: Path) -> str:
    """Return a file's kind by its bytes: zip, vmdk, qcow2, vhdx, vdi or raw; FileError if none."""
    with path.open("rb") as file:
        head = file.read(512)
    for kind, offset, magic in MAGIC:
        if head[offset : offset + len(magic)] == magic:
            return kind
    html = re.match(rb"\s*<(!doctype|html)", head, re.IGNORECASE)
    what = "is a web page: the download needs a login" if html else "is not a disk image"
    raise FileError(
        path,
        None,
        f"{what}. Use the raw disk image of the CHR (.img.zip), or its .vmdk, .vdi or .vhdx file.",
    )


def unpacked(path: Path, folder: Path) -> Path:
    """The disk itself: `path`, or the one disk that the zip has, unpacked into `folder`."""
    if kind_of(path) != "zip":
        return path
    with zipfile.ZipFile(path) as archive:
        disks = [
            each
            for each in archive.infolist()
            if Path(each.filename).suffix in (".img", ".vmdk", ".vdi", ".vhdx", ".qcow2")
        ]
        if len(disks) != 1:
            inside = ", ".join(each.filename for each in archive.infolist()[:5]) or "nothing"
            raise FileError(path, None, f"contains not one disk, but {inside}")
        folder.mkdir(parents=True, exist_ok=True)
        disk = folder / Path(disks[0].filename).name
        with archive.open(disks[0]) as source, disk.open("wb") as out:
            shutil.copyfileobj(source, out)
    kind_of(disk)
    return disk


def as_vmdk(disk: Path, there: Path) -> Path:
    """The disk as a VMDK at `there`, which is the kind that vrnetlab looks for."""
    kind = kind_of(disk)
    there.parent.mkdir(parents=True, exist_ok=True)
    if kind == "vmdk":
        shutil.copyfile(disk, there)
        return there
    program = shutil.which("qemu-img")
    if program is None:
        raise CannotHereError(
            f"{disk.name} is of the kind {kind}; qemu-img, which makes a VMDK of it, is not here",
            "sudo apt-get install qemu-utils, or give CHR's .vmdk by CHR_FILE=",
        )
    done = subprocess.run(
        [program, "convert", "-f", kind, "-O", "vmdk", str(disk), str(there)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        there.unlink(missing_ok=True)
        raise FileError(disk, None, f"qemu-img cannot read it as {kind}: {done.stderr.strip()}")
    return there


# --- the image ------------------------------------------------------------------------------------


VRNETLAB = "https://github.com/srl-labs/vrnetlab"
#: A commit's name is the hash of all that is in it: git checks what it fetches against it.
COMMIT = "9b1495fd161d9f1836f0899f05f7a8c11d834877"
#: Files of vrnetlab: their path there, and their name in the image.
FILES = ("common/vrnetlab.py", "common/healthcheck.py", "mikrotik/routeros/docker/launch.py")


def vrnetlab(folder: Path, say: Progress, source: str = VRNETLAB) -> Path:
    """A checkout of vrnetlab at COMMIT in `folder`; fetched if it is not there."""
    if _commit(folder) == COMMIT and all((folder / each).exists() for each in FILES):
        return folder
    if shutil.which("git") is None:
        raise CannotHereError("git is not installed", "sudo apt-get install git")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    say(f"fetching vrnetlab {COMMIT[:12]} from {source} ...")
    for argv in (
        ("init", "--quiet"),
        ("fetch", "--quiet", "--depth", "1", source, COMMIT),
        ("-c", "advice.detachedHead=false", "checkout", "--quiet", "FETCH_HEAD"),
    ):
        done = _git(folder, *argv)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            raise CannotHereError(
                f"vrnetlab cannot be downloaded from {source}: {done.stderr.strip()}",
                "Where GitHub cannot be reached: VRNETLAB=path/to/a/clone",
            )
    missing = [each for each in FILES if not (folder / each).exists()]
    if missing or _commit(folder) != COMMIT:
        raise PpslabError(f"{source} at {COMMIT} is not vrnetlab: it lacks {', '.join(missing)}")
    return folder


def context(root: Path, folder: Path, launcher: Path) -> Path:
    """The folder that Docker builds from: vrnetlab's files and our own; the disk comes to them."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "vrnetlab").mkdir(parents=True)
    for each in FILES:
        shutil.copy(launcher / each, folder / "vrnetlab")
    shutil.copy(launcher / "LICENSE", folder / "vrnetlab-LICENSE")
    shutil.copy(root / "images/install", folder / "install")
    shutil.copy(root / "images/chr/launch", folder / "launch")
    return folder


def build_chr(
    root: Path, version: str, folder: Path, wishes: Wishes, docker: Docker, say: Progress
) -> Built:
    """`vrnetlab/mikrotik_routeros:VERSION` from a context that is ready.

    Not tried: a disk boots only under containerlab, which gives it its wires.
    """
    return make(
        "chr", f"vrnetlab/mikrotik_routeros:{version}", root / "images/chr/Dockerfile", folder,
        {"CHR": version, "VRNETLAB": COMMIT}, ("images", "traffic"),
        root=root, wishes=wishes, docker=docker, say=say,
    )  # fmt: skip


def _commit(folder: Path) -> str:
    return _git(folder, "rev-parse", "HEAD").stdout.strip() if (folder / ".git").exists() else ""


def _git(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(folder), *argv], capture_output=True, text=True, check=False
    )
