"""The machine in the page as files: its kernel, its initramfs, its firmware."""

from __future__ import annotations

import gzip
import io
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from virtme.cpiowriter import CpioWriter  # type: ignore[import-untyped]

from ppslab.testbed.backends.page_router import tree
from ppslab.testbed.backends.page_router.contents import Contents

OURS = {"init": 0o755, "pinned": 0o755, "serve": 0o755, "shell-rc": 0o644}
"""The files of images/page-router that go into it, with their modes."""

EMPTY = ("bb", "dev", "proc", "sys", "run", "tmp")


def prepare(
    sources: Path,
    contents: Contents,
    packages: Sequence[Path],
    scratch: Path,
    own: Callable[[Path], None],
) -> Path:
    """A folder with kernel, initramfs and firmware: all that a cold boot needs.

    `own`: puts our own programs into the tree of the initramfs.
    """
    whole, slim, made = scratch / "whole", scratch / "slim", scratch / "made"
    tree.unpack(packages, whole)
    slim.mkdir()
    made.mkdir()
    for patterns in contents.packages.values():
        wanted = [each for each in patterns if "bin/" in each]
        tree.programs(whole, wanted, slim)
        tree.settings(whole, [each for each in patterns if each.startswith("etc/")], slim)
    own(slim)
    version = tree.modules(whole, (*contents.modules.loaded, *contents.modules.there), slim)
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
