"""The guest's kernel: one's own, this machine's, or one that is fetched from a Debian archive."""

from __future__ import annotations

import gzip
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.testbed.backends.capabilities import guest_kernel, tools

pytestmark = pytest.mark.usefixtures("own_cache")


NOTE = b"\x04\0\0\0\x08\0\0\0\x12\0\0\0Xen\0"


def bz_image(version: str = "6.1.0-9-test", elf: bytes = b"\x7fELF" + NOTE) -> bytes:
    """As much of a bzImage as its reader looks at (Documentation/arch/x86/boot.rst)."""
    image = bytearray(0x1000)
    payload = gzip.compress(elf)
    image[0x1F1] = 3  # set-up sectors beside the first: the protected-mode code starts at 0x800
    image[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", image, 0x20E, 0x300)
    struct.pack_into("<II", image, 0x248, 0x100, len(payload))
    image[0x500 : 0x500 + len(version) + 12] = f"{version} (somebody)\0".encode()
    image[0x900 : 0x900 + len(payload)] = payload
    return bytes(image)


def test_a_kernel_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "boot" / "vmlinuz"
    image.parent.mkdir()
    image.write_bytes(bz_image())
    modules = tmp_path / "lib/modules/6.1.0-9-test"
    modules.mkdir(parents=True)
    monkeypatch.setenv("PPSLAB_KERNEL", str(image))
    kernel = guest_kernel.guest_kernel()
    assert kernel == guest_kernel.GuestKernel("6.1.0-9-test", image, modules, "own file")
    assert guest_kernel.uncompressed(kernel).read_bytes() == b"\x7fELF" + NOTE


def test_a_kernel_without_a_pvh_entry_is_started_as_it_is(tmp_path: Path) -> None:
    image = tmp_path / "vmlinuz"
    image.write_bytes(bz_image(elf=b"\x7fELF and no note"))
    kernel = guest_kernel.own_kernel(image)
    assert guest_kernel.uncompressed(kernel) == image
    assert guest_kernel.uncompressed(kernel) == image  # remembered


@pytest.mark.parametrize("what", [b"", b"#!/bin/sh\n", b"\0" * 0x300])
def test_a_file_that_is_no_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: bytes
) -> None:
    image = tmp_path / "vmlinuz"
    image.write_bytes(what)
    monkeypatch.setenv("PPSLAB_KERNEL", str(image))
    with pytest.raises(UsageError, match="not a Linux bzImage"):
        guest_kernel.guest_kernel()
    assert not tools.guest_kernel_tool().present
    monkeypatch.setenv("PPSLAB_KERNEL", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="No such file"):
        guest_kernel.guest_kernel()


def program(folder: Path, name: str, script: str) -> None:
    """A program that stands in for a real one."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Debian archive with one small kernel; `downloads` in it has a line for each fetch."""
    if not shutil.which("dpkg-deb") or not shutil.which("depmod", path="/usr/sbin:/sbin"):
        pytest.skip("dpkg-deb or depmod is not here")
    tree, bin_folder = tmp_path / "tree", tmp_path / "bin"
    for folder in ("DEBIAN", "boot", "lib/modules/6.1.0-9-test/kernel/drivers/gpu"):
        (tree / folder).mkdir(parents=True)
    control = "Package: linux-image-6.1.0-9-test\nVersion: 6.1.9-1\nArchitecture: all\n"
    (tree / "DEBIAN/control").write_text(
        f"{control}Maintainer: nobody <nobody@localhost>\nDescription: a test\n"
    )
    (tree / "boot/vmlinuz-6.1.0-9-test").write_bytes(bz_image())
    (tree / "lib/modules/6.1.0-9-test/kernel/drivers/gpu/large.ko").write_bytes(b"large")
    (tree / "lib/modules/6.1.0-9-test/modules.order").touch()
    (tree / "lib/modules/6.1.0-9-test/modules.builtin").touch()
    subprocess.run(
        ["dpkg-deb", "--build", tree, tmp_path / "kernel.deb"], check=True, capture_output=True
    )
    bin_folder.mkdir()
    program(
        bin_folder,
        "apt-cache",
        'case "$2" in\n'
        'linux-image-amd64) echo "  Depends: linux-image-6.1.0-9-test" ;;\n'
        'linux-image-6*) echo "  Depends: kmod"; echo " |Depends: linux-initramfs-tool" ;;\n'
        "esac",
    )
    program(
        bin_folder,
        "apt-get",
        f'echo "$@" >>{tmp_path}/downloads; cp {tmp_path}/kernel.deb ./"$2".deb',
    )
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    return tmp_path


def test_the_kernel_is_fetched_once_and_its_version_recorded(archive: Path) -> None:
    said: list[str] = []
    assert guest_kernel.installed_kernel() is None
    kernel = guest_kernel.guest_kernel(said.append)
    assert kernel.version == "6.1.0-9-test"
    assert kernel.package == "linux-image-6.1.0-9-test 6.1.9-1"
    assert kernel.image.is_file() and kernel.modules is not None
    assert (kernel.modules / "modules.dep").is_file()
    assert not (kernel.modules / "kernel/drivers/gpu").exists()
    assert any("linux-image-6.1.0-9-test" in words for words in said)
    assert guest_kernel.guest_kernel(said.append) == kernel
    assert (archive / "downloads").read_text() == "download linux-image-6.1.0-9-test\n"
    assert sorted(path.name for path in guest_kernel.kernel_dir().iterdir()) == [
        ".lock",
        "6.1.0-9-test",
    ]


def test_a_fetch_that_failed_leaves_nothing_half_done(archive: Path) -> None:
    program(archive / "bin", "apt-get", 'echo "E: 404  Not Found" >&2; exit 100')
    with pytest.raises(CannotHereError, match="404") as caught:
        guest_kernel.guest_kernel()
    assert "apt-get update" in caught.value.remedy
    assert [path.name for path in guest_kernel.kernel_dir().iterdir()] == [".lock"]


def test_ubuntu_keeps_the_modules_in_packages_of_their_own(archive: Path) -> None:
    program(
        archive / "bin",
        "apt-cache",
        'case "$2" in\n'
        "linux-image-generic) printf '  Depends: linux-image-6.8.0-45-generic\\n"
        "  Depends: linux-modules-extra-6.8.0-45-generic\\n  Depends: linux-firmware\\n' ;;\n"
        'linux-image-6*) echo "  Depends: linux-modules-6.8.0-45-generic" ;;\n'
        'linux-modules-extra*) echo "  Depends: linux-image-6.8.0-45-generic" ;;\n'
        "esac",
    )
    assert guest_kernel.stock_packages() == [
        "linux-image-6.8.0-45-generic",
        "linux-modules-extra-6.8.0-45-generic",
        "linux-modules-6.8.0-45-generic",
    ]


@pytest.fixture
def debian(archive: Path) -> Path:
    """An archive that has other releases too; `sources` in it is what apt was given to read."""
    program(
        archive / "bin",
        "apt-cache",
        '[ "$1" = -c ] && echo "  Depends: linux-image-6.1.0-9-test"\nexit 0',
    )
    program(
        archive / "bin",
        "apt-get",
        'case "$1 $3" in\n'
        "indextargets*) printf '%s\\n' 'http://a/debian bookworm bookworm' "
        "'http://a/debian bookworm-updates bookworm-updates' "
        "'http://a/debian-security bookworm-security bookworm-security' ;;\n"
        f'"-c update") cp "$(dirname "$2")/sources.list" {archive}/sources ;;\n'
        f'"-c download") cp {archive}/kernel.deb ./"$4".deb ;;\n'
        "esac",
    )
    return archive


def test_a_release_named_once_is_not_booted_by_who_names_none(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_KERNEL", "trixie")
    guest_kernel.guest_kernel()
    monkeypatch.delenv("PPSLAB_KERNEL")
    assert guest_kernel.installed_kernel() is None


def test_a_release_that_the_archive_lacks_says_so(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(
        debian / "bin",
        "apt-get",
        '[ "$1" = indextargets ] && echo "http://a/debian bookworm bookworm" && exit 0\n'
        'echo "E: no Release file" >&2; exit 100',
    )
    monkeypatch.setenv("PPSLAB_KERNEL", "nosuch")
    with pytest.raises(CannotHereError, match="no Release file") as caught:
        guest_kernel.guest_kernel()
    assert "bullseye" in caught.value.remedy


def test_a_kernel_in_three_packages_is_put_together(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Debian packs Linux 7: the image has no files, and /boot is filled when it is installed."""
    where = debian / "split/usr/lib/modules/6.1.0-9-test"
    (where / "kernel").mkdir(parents=True)
    (where / "vmlinuz").write_bytes(bz_image())
    (where / "modules.order").touch()
    (where / "modules.builtin").touch()
    shutil.copytree(debian / "tree/DEBIAN", debian / "split/DEBIAN")
    subprocess.run(
        ["dpkg-deb", "--build", debian / "split", debian / "kernel.deb"],
        check=True,
        capture_output=True,
    )
    program(
        debian / "bin",
        "apt-cache",
        'case "$4" in\n'
        'linux-image-amd64) echo "  Depends: linux-base-amd64"; '
        'echo "  Depends: linux-image-7.3.4-amd64" ;;\n'
        "linux-image-7*) for part in base binary modules; do "
        'echo "  Depends: linux-$part-7.3.4-amd64"; done ;;\n'
        "esac",
    )
    assert guest_kernel.stock_packages(["-c", "apt.conf"]) == [
        f"linux-{part}-7.3.4-amd64" for part in ("image", "base", "binary", "modules")
    ]
    monkeypatch.setenv("PPSLAB_KERNEL", "forky")
    kernel = guest_kernel.guest_kernel()
    assert kernel.version == "6.1.0-9-test"
    assert kernel.modules is not None and (kernel.modules / "modules.dep").is_file()
