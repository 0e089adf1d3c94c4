"""What a guest has in its memory is what its programs open when they start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import ppslab
from ppslab.testbed.backends.vm import initramfs
from ppslab.testbed.backends.vm.initramfs import in_memory


def test_links_are_followed_as_the_kernel_does_it(tmp_path: Path) -> None:
    real = tmp_path / "usr/lib/libx.so.1.2"
    real.parent.mkdir(parents=True)
    real.write_bytes(b"library")
    folder = tmp_path / "lib"
    folder.symlink_to("usr/lib")
    short = real.with_name("libx.so.1")
    short.symlink_to("libx.so.1.2")
    (tmp_path / "alternatives").mkdir()
    far = tmp_path / "alternatives/x"
    far.symlink_to(folder / "libx.so.1")
    near = tmp_path / "alternatives/y"
    near.symlink_to("../alternatives/x")
    ways = initramfs._way(tmp_path / "alternatives/y")
    assert list(ways) == [near, far, folder, short, real]


def test_a_shell_is_there_with_all_that_it_opens() -> None:
    found = in_memory()
    assert Path(shutil.which("sh") or "").resolve() in found
    assert Path("/etc/ld.so.cache") in found
    assert any(path.name.startswith("libc.so") for path in found)
    assert any(path.name.startswith("ld-linux") for path in found)
    # Nothing that is not opened again and again: it is read at every start.
    assert sum(path.stat().st_size for path in found if not path.is_symlink()) < 30e6


def test_what_make_built_is_there_too(tmp_path: Path) -> None:
    (tmp_path / "ppstraffic").write_bytes(b"")
    assert set(in_memory(tmp_path)) - set(in_memory()) == {tmp_path / "ppstraffic"}


def test_the_agent_runs_from_its_byte_code_alone(tmp_path: Path) -> None:
    package = Path(ppslab.__file__).parent
    for name, code in initramfs.of_agent(package).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(code)
    imported = (
        "import sys, ppslab.testbed.backends.agent.agent\n"
        "print(*{m.__file__ for n, m in sys.modules.items() if n.startswith('ppslab')}, sep='\\n')"
    )
    found = subprocess.run(
        [sys.executable, "-c", imported],
        env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert len(found) > 10
    assert all(Path(file).is_relative_to(tmp_path) for file in found)
