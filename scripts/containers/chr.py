#!/usr/bin/env python3
"""Build CHR's image for containerlab: fetch the disk, check it, put it under vrnetlab's launcher.

    .venv/bin/python scripts/containers/chr.py --version 7.20.8 [--sha256 HASH] [--file DISK]

`make chr CHR=7.20.8` is this.  The disk stays in _build/chr, where the tests find it:
PPSLAB_CHR_IMAGE=_build/chr/chr-7.20.8.img make test
Exit codes: 0 built; 1 the build failed; 2 wrong usage or file; 3 this machine cannot, or nobody
vouches for the disk yet.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ppslab.core.errors import FileError, PpslabError, UsageError
from ppslab.core.paths import project_root
from ppslab.testbed.backends.images import Docker, Wishes
from ppslab.testbed.backends.images.chr import (
    MIRROR,
    VRNETLAB,
    as_vmdk,
    build_chr,
    checked_version,
    context,
    fetched,
    kind_of,
    known_hashes,
    sha256,
    unpacked,
    verify,
    vrnetlab,
)


def main() -> int:
    """Build the image."""
    told = arguments()
    try:
        if told.version is None:
            raise UsageError("which version? make chr CHR=7.20.8")
        version = checked_version(told.version)
        return made(version, told)
    except PpslabError as error:
        print(f"chr: {error}", file=sys.stderr)
        return error.exit_code


def made(version: str, told: argparse.Namespace) -> int:
    """The image under vrnetlab's launcher.  The disk first: it is what most often is wrong."""
    root = project_root()
    folder = root / "_build/chr"
    known = root / "images/chr/sha256.txt"
    if told.file:
        file = Path(told.file)
        if not file.is_file():
            raise FileError(file, None, "is not there: CHR_FILE= wants a disk, or a zip with one")
        kind_of(file)
    else:
        file = fetched(version, folder, say, told.mirror or MIRROR)
    if told.file and not told.sha256 and file.name not in known_hashes(known):
        # Whoever names a file vouches for it; the hash is for who wants to compare.
        say(f"{file}: SHA-256 {sha256(file)}, compared with nothing")
    else:
        hashed = verify(file, told.sha256, known, f"make chr CHR={version}")
        say(f"{file}: SHA-256 {hashed}, as it should be")
    docker = Docker()
    disk = unpacked(file, folder)
    launcher = vrnetlab(folder / "vrnetlab", say, told.vrnetlab or VRNETLAB)
    ready = context(root, folder / "context", launcher)
    as_vmdk(disk, ready / f"chr-{version}.vmdk")
    wishes = Wishes(told.base, told.snapshot, told.network)
    built = build_chr(root, version, ready, wishes, docker, say)
    print(f"{built.tag}  {built.size / 1e6:.0f} MB")
    print(
        "It was not started: containerlab does that. It holds MikroTik's disk: do not publish it."
    )
    return 0


def say(text: str) -> None:
    """Progress, at once."""
    print(text, flush=True)


def arguments() -> argparse.Namespace:
    """The command line; an empty word, as make hands on, is as good as none."""
    parser = argparse.ArgumentParser(
        prog="scripts/containers/chr.py", description="Build CHR's image."
    )
    for option, meaning in (
        ("version", "RouterOS's version, such as 7.20.8"),
        ("file", "a disk or its zip that you have, instead of fetching it"),
        ("sha256", "what the file's SHA-256 must be"),
        ("vrnetlab", "where vrnetlab is fetched from: a URL or a clone's folder"),
        ("mirror", "where the disk is fetched from"),
        ("base", "the base image, instead of Debian's by its digest"),
        ("snapshot", "a time of snapshot.debian.org such as 20261120T000000Z, or none"),
        ("network", "the build's network: host where Docker has no bridge"),
    ):
        parser.add_argument(f"--{option}", type=lambda word: word or None, help=meaning)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
