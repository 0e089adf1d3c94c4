"""What labs start again and again, for the guest's memory.

The guest sees the host's files over 9p, which opens a file in five requests and follows a link in
two; to start `ip` takes fifteen files.  Emulated, that was a third of what it took.  The checkout
it sees without a cache, so a module of Python takes 80 ms, and the agent has some thirty.
"""

from __future__ import annotations

import marshal
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path

PROGRAMS = ("sh", "ip", "bridge", "tc", "nft", "conntrack", "ethtool", "sysctl", "cat", "grep")
ROOMS = ("base", "backends")
"""Of the package: what the agent imports from, beside the package itself."""
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
    modules = [package / "__init__.py"]
    modules += [module for room in ROOMS for module in sorted((package / room).rglob("*.py"))]
    found = {}
    for module in modules:
        # From its cache, unless that is old or cannot be written.
        code = SourceFileLoader(module.stem, str(module)).get_code(module.stem)
        name = module.relative_to(package.parent).with_suffix(".pyc")
        # Without a source beside it neither flags nor time nor size are looked at.
        found[name.as_posix()] = MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
    return found
