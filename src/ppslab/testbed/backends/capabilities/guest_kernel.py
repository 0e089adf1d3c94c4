"""The guest's kernel: Debian's (or Ubuntu's) stock one, fetched once, never installed.

`apt-get download` needs no root, and its package is unpacked below the cache folder; the host's
/boot and /lib/modules are left alone. Whatever version apt offers is taken and recorded: a pinned
one would leave Debian's mirrors with the next security update.
Another Debian release's kernel comes the same way, from the archive that apt is set up with; apt's
own sources and lists stay as they are.
"""

from __future__ import annotations

import fcntl
import json
import lzma
import os
import platform
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.paths import cache_dir

Progress = Callable[[str], None]

#: Metapackages that name the newest stock kernel: Debian's, then Ubuntu's.
METAPACKAGES = ("linux-image-amd64", "linux-image-generic")
#: With the keys of every release that Debian still serves.
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
#: A Debian release's codename, in $PPSLAB_KERNEL: bullseye, trixie, bookworm-backports.
RELEASE = re.compile(r"[a-z]+(-backports)?")
#: The packages of a kernel: Debian has one, and from Linux 7 on three; Ubuntu keeps modules apart.
KERNEL_PACKAGE = re.compile(r"linux-(image|binary|base|modules|modules-extra)-\d[^ ]*")
#: XEN_ELFNOTE_PHYS32_ENTRY (18): where a PVH guest enters (include/xen/interface/elfnote.h).
PVH_NOTE = rb"\x04\0\0\0[\x04\x08]\0\0\0\x12\0\0\0Xen\0"
#: Modules that no lab can use in this guest; two thirds of the package.
UNUSED_DRIVERS = """
    accessibility ata bluetooth comedi firewire gpu hid hwmon iio infiniband input isdn leds
    macintosh md media mfd mmc mtd net/ethernet net/wireless nfc nvme parport pcmcia platform
    power scsi soundwire staging target thunderbolt tty usb video w1 watchdog
""".split()


@dataclass(frozen=True)
class GuestKernel:
    """A kernel that a guest can boot.

    `version` is its `uname -r`; `modules` is the host's folder `lib/modules/VERSION`, None if the
    kernel came without; `package` names where it came from, with version ("own file" for
    $PPSLAB_KERNEL).
    """

    version: str
    image: Path
    modules: Path | None
    package: str


def kernel_dir() -> Path:
    return cache_dir() / "kernel"


def installed_kernel() -> GuestKernel | None:
    """The kernel that the next guest boots, if it is here: by $PPSLAB_KERNEL, else the newest one.

    $PPSLAB_KERNEL is a bzImage's path or the codename of a Debian release.
    Raises UsageError where it names neither.
    """
    choice = os.environ.get("PPSLAB_KERNEL", "")
    if choice and not RELEASE.fullmatch(choice):
        return own_kernel(Path(choice))
    records = sorted(
        _home(choice).glob("*/kernel.json"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    for record in records:
        try:
            data = json.loads(record.read_text())
            kernel = GuestKernel(
                version=data["version"],
                image=record.parent / data["image"],
                modules=record.parent / data["modules"],
                package=data["package"],
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a damaged record counts as no kernel
        if kernel.image.is_file() and kernel.modules is not None and kernel.modules.is_dir():
            return kernel
    return None


def _home(release: str) -> Path:
    """The folder of one release's kernels; they never replace the machine's own choice."""
    return kernel_dir() / "releases" / release if release else kernel_dir()


def guest_kernel(progress: Progress = lambda _: None) -> GuestKernel:
    """The kernel to boot, fetched if it is not here yet.

    Raises CannotHereError where no stock kernel can be had, with what to do.
    """
    found = installed_kernel()
    if found is not None:
        return found
    if platform.machine() != "x86_64":
        raise CannotHereError(
            f"the vm backend boots x86-64 kernels only so far, and this is {platform.machine()}",
            "Use the namespaces backend, or run ppslab on an x86-64 machine.",
        )
    kernel_dir().mkdir(parents=True, exist_ok=True)
    with (kernel_dir() / ".lock").open("w") as lock:  # one at a time
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = installed_kernel()  # another ppslab may have fetched it while this one waited
        return found if found is not None else _fetch(progress)


def own_kernel(image: Path) -> GuestKernel:
    """A kernel of the reader's own; its modules are looked for beside it, then in /lib/modules."""
    try:
        version = image_version(image)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"PPSLAB_KERNEL={image}: {error}\n"
            "Name a bzImage, such as /boot/vmlinuz-VERSION, or a Debian release, such as trixie."
        ) from error
    places = (image.resolve().parent.parent / "lib/modules", Path("/lib/modules"))
    modules = next((place / version for place in places if (place / version).is_dir()), None)
    return GuestKernel(version, image.resolve(), modules, "own file")


def image_version(image: Path) -> str:
    """The `uname -r` that a bzImage will answer (Documentation/arch/x86/boot.rst, kernel_version).

    Raises ValueError for a file that is no bzImage.
    """
    with image.open("rb") as file:
        head = file.read(0x10000)
    if head[0x202:0x206] != b"HdrS":
        raise ValueError("not a Linux bzImage")
    start = struct.unpack_from("<H", head, 0x20E)[0] + 0x200
    return head[start : head.index(b"\0", start)].decode("ascii", "replace").split(" ")[0]


def uncompressed(kernel: GuestKernel) -> Path:
    """The kernel's ELF file, which QEMU starts without the boot of a PC (PVH); kept once unpacked.

    The bzImage itself where it cannot be unpacked here or has no PVH entry: it only boots slower.
    """
    name = f"{kernel.version}-{int(kernel.image.stat().st_mtime)}-{kernel.image.stat().st_size}"
    kept = cache_dir() / "vmlinux" / name
    if kept.is_file():
        return kept if kept.stat().st_size else kernel.image
    elf = _payload(kernel.image.read_bytes())
    if elf is None or not re.search(PVH_NOTE, elf):
        elf = b""  # remembered too: an empty file
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_name(f".{name}.{os.getpid()}")
    fresh.write_bytes(elf)
    fresh.replace(kept)
    return kept if elf else kernel.image


def _payload(image: bytes) -> bytes | None:
    """The ELF file within a bzImage (boot.rst: setup_sects, payload_offset, payload_length)."""
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (image[0x1F1] + 1) * 512 + offset
    packed = image[start : start + length]
    try:
        if packed.startswith(b"\xfd7zXZ"):  # behind the archive stands its size: not for lzma
            elf = lzma.LZMADecompressor().decompress(packed)
        elif packed.startswith(b"\x1f\x8b"):
            elf = zlib.decompressobj(wbits=31).decompress(packed)
        elif packed.startswith(b"\x28\xb5\x2f\xfd"):
            elf = subprocess.run(
                ["zstd", "-dcq"], input=packed[:-4], capture_output=True, check=True
            ).stdout
        else:
            elf = packed
    except (lzma.LZMAError, zlib.error, OSError, subprocess.SubprocessError):
        return None
    return elf if elf.startswith(b"\x7fELF") else None


def stock_packages(options: Sequence[str] = ()) -> list[str]:
    """The names of the packages that make up the newest stock kernel, by apt's own list.

    `options`: apt's, where it is to read another list than its own.

    Raises CannotHereError where apt is missing or knows of none.
    """
    for tool in ("apt-cache", "apt-get", "dpkg-deb", "depmod"):
        if shutil.which(tool, path=_search_path()) is None:
            raise CannotHereError(
                f"the guest's kernel comes from Debian or Ubuntu packages, but {tool} is missing",
                "On Debian or Ubuntu: sudo apt-get install apt dpkg kmod. Elsewhere: put the path "
                "of a kernel image (bzImage with its lib/modules beside it) in PPSLAB_KERNEL.",
            )
    for meta in METAPACKAGES:
        first = [name for name in _depends(meta, options) if KERNEL_PACKAGE.fullmatch(name)]
        if first:
            more = [name for each in first for name in _depends(each, options)]
            both = [*first, *(name for name in more if KERNEL_PACKAGE.fullmatch(name))]
            return list(dict.fromkeys(both))
    raise CannotHereError(
        f"apt knows no stock kernel ({' or '.join(METAPACKAGES)})",
        "Refresh its lists: sudo apt-get update. Or put a kernel image's path in PPSLAB_KERNEL.",
    )


def _release_options(release: str, folder: Path, progress: Progress) -> list[str]:
    """Make apt's lists of one Debian release below `folder`; apt's options that read them.

    Raises CannotHereError where apt has no Debian archive, or the archive has no such release.
    """
    targets = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(CODENAME)"]
    known = _must([*targets, "Created-By: Packages", "Origin: Debian"], folder, "").split("\n")
    lines = []
    for archive, suite, codename in (line.split() for line in known if line):
        security = suite.endswith("-security")
        if (security and "-" in release) or not (security or suite == codename.split("-")[0]):
            continue  # backports have no security archive; updates come with the point release
        wanted = f"{release}-security" if security else release
        lines.append(f"deb [arch=amd64 signed-by={KEYRING}] {archive} {wanted} main\n")
    if not lines:
        raise CannotHereError(
            f"PPSLAB_KERNEL={release}: apt has no list of a Debian archive here",
            "On Debian: sudo apt-get update. Elsewhere: name a kernel image's path instead.",
        )
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "sources.list").write_text("".join(dict.fromkeys(lines)))
    (folder / "apt.conf").write_text(
        f'Dir::Etc::SourceList "{folder}/sources.list";\n'
        'Dir::Etc::SourceParts "-";\n'
        f'Dir::State::Lists "{folder}/lists";\n'
        f'Dir::Cache "{folder}/cache";\n'
        'Acquire::Languages "none";\n'
        'APT::Update::Error-Mode "any";\n'
    )
    options = ["-c", f"{folder}/apt.conf"]
    progress(f"reading the list of Debian {release}")
    remedy = "Name a release of Debian that its archive still has, such as bullseye or trixie."
    _must(["apt-get", *options, "update"], folder, remedy)
    return options


def _fetch(progress: Progress) -> GuestKernel:
    release = os.environ.get("PPSLAB_KERNEL", "")
    for left in kernel_dir().glob(".fetch-*"):  # left by a ppslab that was killed; we hold the lock
        shutil.rmtree(left, ignore_errors=True)
    work = kernel_dir() / f".fetch-{os.getpid()}"
    work.mkdir()
    try:
        options: list[str] = []
        if release:
            (work / "apt").mkdir()
            options = _release_options(release, work / "apt", progress)
        names = stock_packages(options)
        progress(f"fetching the guest's kernel: {' '.join(names)}")
        _must(
            ["apt-get", *options, "download", *names],
            work,
            "Refresh apt's lists: sudo apt-get update.",
        )
        packages = sorted(work.glob("*.deb"))
        label = ", ".join(_label(package) for package in packages)
        progress("unpacking it")
        tree = work / "tree"
        tree.mkdir()
        for package in packages:
            _unpack(package, tree)
        images = (*tree.glob("boot/vmlinuz-*"), *tree.glob("usr/lib/modules/*/vmlinuz"))
        if not images:
            raise CannotHereError(f"no kernel image is in {label}", "")
        image, version = images[0], image_version(images[0])
        lib = next(each for each in (tree / "lib", tree / "usr/lib") if (each / "modules").is_dir())
        if not (tree / "lib").exists():  # merged /usr; modprobe -d and depmod -b want lib
            (tree / "lib").symlink_to("usr/lib")
        _must(["depmod", "-b", str(tree), version], work, "")
        kernel = GuestKernel(
            version, image.relative_to(tree), (lib / "modules" / version).relative_to(tree), label
        )
        (tree / "kernel.json").write_text(json.dumps(asdict(kernel), default=str, indent=1))
        home = _home(release) / version
        home.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(home, ignore_errors=True)
        tree.rename(home)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    found = installed_kernel()
    if found is None:
        raise CannotHereError(f"the kernel in {names} has no image or no modules", "")
    return found


def _unpack(package: Path, tree: Path) -> None:
    """Image, configuration and modules of a .deb, without drivers for hardware no guest has."""
    leave = [f"--exclude=*/modules/*/kernel/drivers/{name}" for name in UNUSED_DRIVERS]
    leave += ["--exclude=*/modules/*/kernel/sound", "--exclude=./usr/share"]
    source = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    sink = subprocess.run(
        ["tar", "-x", "--no-same-owner", "-C", tree, *leave],
        stdin=source.stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if source.stdout is not None:
        source.stdout.close()
    if source.wait() or sink.returncode:
        raise CannotHereError(f"cannot unpack {package.name}: {sink.stderr.strip()}", "")


def _label(package: Path) -> str:
    """`linux-image-6.1.0-56-amd64 6.1.192-2`, from the .deb's own control file."""
    fields = subprocess.run(
        ["dpkg-deb", "-W", "--showformat=${Package} ${Version}", package],
        capture_output=True,
        text=True,
        check=True,
    )
    return fields.stdout.strip()


def _depends(package: str, options: Sequence[str]) -> list[str]:
    argv = ["apt-cache", *options, "depends", package]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=_env())
    return re.findall(r"^ [ |]Depends: <?([^ >\n]+)", done.stdout, re.MULTILINE)


def _must(argv: list[str], where: Path, remedy: str) -> str:
    done = subprocess.run(argv, cwd=where, capture_output=True, text=True, check=False, env=_env())
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise CannotHereError(f"{' '.join(argv)}: {last}", remedy)
    return done.stdout


def _search_path() -> str:
    """/usr/sbin is not in a Debian user's PATH, and depmod is there."""
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def _env() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "PATH": _search_path()}
