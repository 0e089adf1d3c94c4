"""The initramfs of the guest: busybox, `init.sh`, the modules that reach the host's files, and of
those files what is started again and again.

Built with virtme-ng's cpio writer and module finder. Two parts, one behind the other, as the
kernel allows (Documentation/driver-api/early-userspace/buffer-format.rst): the large one is made
once a kernel, the small one holds what differs from guest to guest.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import marshal
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import MappingProxyType

from virtme import modfinder  # type: ignore[import-untyped]
from virtme.cpiowriter import CpioWriter  # type: ignore[import-untyped]

from ppslab.core.errors import CannotHereError
from ppslab.core.paths import cache_dir
from ppslab.testbed.backends.capabilities import tools
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel
from ppslab.testbed.backends.capabilities.tools import static_busybox

#: The host's files (9p over virtio), the overlay above them, the channel to the agent.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console")
TOOLS = ["sh", "mount", "mkdir", "insmod", "cat", "cp", "ln", "uname", "ip", "poweroff"]
TOOLS += ["switch_root", "mknod"]
FOLDERS = ("bin", "dev", "proc", "modules", "lower", "over", "newroot", "run")


def initramfs(
    kernel: GuestKernel,
    settings: dict[str, str],
    run_agent: list[str],
    agent: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    """The whole initramfs (a cpio archive) for one guest.

    `settings` are shell variables for init.sh; `run_agent` is the command that it runs, with
    the channel's device added as the last argument.  `agent`: the byte code that it imports, by
    its path below /agent.
    """
    config = "".join(f"{name}={shlex.quote(value)}\n" for name, value in settings.items())
    config += f'run_agent() {{ {shlex.join(run_agent) or ":"} "$port"; }}\n'
    out = io.BytesIO()
    small = CpioWriter(out)
    small.write_file(b"config", body=config.encode(), mode=0o644)
    small.write_file(b"init", body=Path(__file__).with_name("init.sh").read_bytes(), mode=0o755)
    if agent:  # else it only shows that it boots
        built = settings["built"]
        _keep(small, in_memory(Path(built) if built else None))
        _hold(small, agent)
    small.write_trailer()
    return _base(kernel) + out.getvalue()


def _keep(archive: CpioWriter, files: Sequence[Path]) -> None:
    """Put host files below /kept, at their own paths."""
    folders = {folder for file in files for folder in file.parents}
    for folder in sorted(folders):
        archive.mkdir(f"kept{folder}".rstrip("/").encode(), folder.stat().st_mode & 0o7777)
    for file in files:
        if file.is_symlink():
            archive.symlink(str(file.readlink()).encode(), f"kept{file}".encode())
        else:
            mode = file.stat().st_mode & 0o7777
            archive.write_file(f"kept{file}".encode(), body=file.read_bytes(), mode=mode)


def _hold(archive: CpioWriter, agent: Mapping[str, bytes]) -> None:
    """Put the agent's byte code below /agent."""
    folders = {str(folder) for name in agent for folder in Path("agent", name).parents}
    for folder in sorted(folders - {"."}):
        archive.mkdir(folder.encode(), 0o755)
    for name, code in agent.items():
        archive.write_file(f"agent/{name}".encode(), body=code, mode=0o644)


def _base(kernel: GuestKernel) -> bytes:
    busybox = static_busybox()
    if busybox is None:
        raise CannotHereError("the vm backend needs a static busybox", tools.busybox().remedy)
    program = busybox.read_bytes()
    key = hashlib.sha256(
        b"%s %s %s" % (str(kernel).encode(), program, " ".join((*MODULES, *TOOLS)).encode())
    ).hexdigest()[:16]
    kept = cache_dir() / "initramfs" / f"{kernel.version}-{key}.cpio"
    if kept.is_file():
        return kept.read_bytes()
    out = io.BytesIO()
    archive = CpioWriter(out)
    for folder in FOLDERS:
        archive.mkdir(folder.encode(), 0o755)
    archive.mkchardev(b"dev/null", (1, 3), mode=0o666)
    archive.mkchardev(b"dev/kmsg", (1, 11), mode=0o666)
    archive.mkchardev(b"dev/console", (5, 1), mode=0o600)
    archive.write_file(b"bin/busybox", body=program, mode=0o755)
    for tool in TOOLS:
        archive.symlink(b"busybox", f"bin/{tool}".encode())
    names = []
    for path in _modules(kernel):
        name = path.name[: path.name.index(".ko") + 3]
        archive.write_file(f"modules/{name}".encode(), body=_plain(path), mode=0o644)
        names.append(name)
    archive.write_file(b"modules/list", body="".join(f"{n}\n" for n in names).encode(), mode=0o644)
    archive.write_trailer()
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_name(f".{kept.name}.{os.getpid()}")
    fresh.write_bytes(out.getvalue())
    fresh.replace(kept)
    return out.getvalue()


def _modules(kernel: GuestKernel) -> list[Path]:
    """Module files in loading order; empty where everything is built in."""
    if kernel.modules is None:
        return []
    with modfinder.get_mod_path(str(kernel.modules), kernel.version) as root:
        found = modfinder.find_modules_from_install(MODULES, root=root, kver=kernel.version)
        return [Path(path).resolve() for path in found]


def _plain(path: Path) -> bytes:
    """A module's ELF bytes: Debian 13 compresses them, and busybox's insmod wants them plain."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
    return data


PROGRAMS = ("sh", "ip", "bridge", "tc", "nft", "conntrack", "ethtool", "sysctl", "cat", "grep")
ROOMS = ("core", "testbed/backends")
"""Of the package: what the agent imports from, beside the packages that hold them."""
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def in_memory(built: Path | None = None) -> list[Path]:
    """The programs that are here, their libraries and the list of those, and all links to them.

    `built`: a folder whose programs are kept too.
    """
    programs = [found for name in PROGRAMS if (found := shutil.which(name, path=_PATH))]
    linked_with = ""
    if programs and shutil.which("ldd"):
        asked = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False)
        linked_with = asked.stdout
    libraries = re.findall(r"(/\S+) \(0x", linked_with)
    cache = ["/etc/ld.so.cache"] if Path("/etc/ld.so.cache").is_file() else []
    own = map(str, built.iterdir()) if built else ()
    files = {path for name in [*programs, *libraries, *cache, *own] for path in _way(Path(name))}
    return sorted(files)


def _way(path: Path) -> Iterator[Path]:
    """Each symbolic link that leads to a file, and at last the file itself."""
    left = list(path.parts[1:])
    at = Path("/")
    while left:
        part, left = left[0], left[1:]
        at = at.parent if part == ".." else at / part
        if at.is_symlink():
            yield at
            target = at.readlink()
            left = [each for each in target.parts if each != "/"] + left
            at = Path("/") if target.is_absolute() else at.parent
    yield at


def of_agent(package: Path) -> dict[str, bytes]:
    """The byte code that the agent imports, by a path at which Python finds it without a source.

    `package`: the folder of ppslab.
    """
    modules = [package / "__init__.py", package / "testbed/__init__.py"]
    modules += [module for room in ROOMS for module in sorted((package / room).rglob("*.py"))]
    found = {}
    for module in modules:
        # From its cache, unless that is old or cannot be written.
        code = SourceFileLoader(module.stem, str(module)).get_code(module.stem)
        name = module.relative_to(package.parent).with_suffix(".pyc")
        # Without a source beside it neither flags nor time nor size are looked at.
        found[name.as_posix()] = MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
    return found
