"""Our own programs in the router in the page: ppstraffic for its processor, and the BPF objects.

So that the tasks of a lab send with the same tester there, and load the same programs.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ppslab.core.errors import CannotHereError

OBJECTS = "usr/lib/ppslab/bpf"
"""Where the BPF objects are, as in the image of the Linux router."""

# libgcc is linked in: its shared half is in another package, and few PCs have it for i386.
_FLAGS = ("-m32", "-march=i686", "-std=gnu11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-O2",
          "-pthread", "-static-libgcc", "-s")  # fmt: skip


def put(sources: Path, objects: Sequence[Path], headers: Path, slim: Path) -> None:
    """Compile ppstraffic into the tree `slim`, and copy the BPF objects there.

    `sources`: the folder of its sources.
    `headers`: a tree with the C library's development files for the page's processor.
    Raises CannotHereError where this machine's compiler cannot.
    """
    program = slim / "bin/ppstraffic"
    crt = headers / "usr/lib/i386-linux-gnu"
    (libgcc,) = (headers / "usr/lib/gcc/i686-linux-gnu").iterdir()
    where = [flag for path in (libgcc, crt) for flag in (f"-B{path}", f"-L{path}")]
    command: list[str | Path] = ["gcc", *_FLAGS, f"--sysroot={headers}", *where,
               "-isystem", headers / "usr/include/i386-linux-gnu", f"-I{sources}",
               "-o", program, *sorted(sources.rglob("*.c")), "-lm"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotHereError(
            f"ppstraffic was not compiled for the router in the page:\n{done.stderr[-2000:]}",
            "gcc for x86 with -m32 compiles it: build on a PC.",
        )
    program.chmod(0o755)
    folder = slim / OBJECTS
    folder.mkdir(parents=True)
    for path in sorted(objects):
        shutil.copyfile(path, folder / path.name)
        (folder / path.name).chmod(0o644)
