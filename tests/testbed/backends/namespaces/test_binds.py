"""What a node has of the machine's files: binds, /run, and a root that is a chroot."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Backend, Deployment
from tests.support.waiting import PATIENCE
from tests.testbed.backends.conftest import LONE, Write

pytestmark = [pytest.mark.live, pytest.mark.alone]


class TestBinds:
    @pytest.fixture
    def files(self, tmp_path: Path) -> Path:
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a").write_text("from the host\n")
        (tmp_path / "conf").write_text("a file\n")
        return tmp_path

    def bound(self, *binds: str) -> str:
        return LONE.replace("kind: linux", f"kind: linux, binds: {list(binds)!r}")

    def test_folders_and_files(self, backend: Backend, write: Write, files: Path) -> None:
        deep, folder = f"/etc/ppslab-{secrets.token_hex(4)}", f"/lab-{secrets.token_hex(4)}"
        text = self.bound(f"in:{folder}", f"conf:{deep}/deep/conf:ro", "conf:/etc/hostname")
        with backend.deploy(write(text)) as lab:
            node = lab.node("n")
            assert node.run(["cat", f"{folder}/a"]).stdout == "from the host\n"
            assert node.run(["cat", f"{deep}/deep/conf"]).stdout == "a file\n"
            assert node.run(["cat", "/etc/hostname"]).stdout == "a file\n"
            assert node.run(["test", "-e", "/etc/passwd"]).returncode == 0
            node.run(["sh", "-c", f"echo back > {folder}/b"])
        assert (files / "in" / "b").read_text() == "back\n"
        assert not Path(folder).exists()
        assert not Path(deep).exists(), "nothing is made on the machine"

    def test_read_only_is_read_only(self, backend: Backend, write: Write, files: Path) -> None:
        with backend.deploy(write(self.bound("in:/lab:ro", "conf:/conf:ro"))) as lab:
            for attempt in ("echo x > /lab/b", "rm /lab/a", "echo x > /conf", "chmod 0 /conf"):
                done = lab.node("n").run(["sh", "-c", attempt], check=False)
                assert "Read-only file system" in done.stderr
        assert (files / "in" / "a").read_text() == "from the host\n"

    def test_a_bind_in_a_bind(self, backend: Backend, write: Write, files: Path) -> None:
        with backend.deploy(write(self.bound("in:/lab:ro", "conf:/lab/new/conf"))) as lab:
            assert lab.node("n").run(["cat", "/lab/a", "/lab/new/conf"]).stdout.count("\n") == 2
        assert sorted(p.name for p in (files / "in").iterdir()) == ["a"]

    @pytest.mark.parametrize(
        ("bind", "said"),
        [
            ("nothing:/lab", "node n: cannot be made: .*nothing: No such file"),
            ("conf:/usr", "node n: cannot be made: .*/usr: the target is a folder"),
            ("in:/etc/passwd", "node n: cannot be made: .*/etc/passwd: the target is a file"),
        ],
    )
    def test_bad_ones(
        self, backend: Backend, write: Write, files: Path, bind: str, said: str
    ) -> None:
        with pytest.raises(BackendError, match=said):
            backend.deploy(write(self.bound(bind)))


def test_run_is_private_and_written(lone: Deployment) -> None:
    node = lone.node("n")
    node.write("deep/rules.nft", "add table x\n")
    node.write("/run/other", "ö")
    assert node.run(["cat", "/run/deep/rules.nft", "/run/other"]).stdout == "add table x\nö"
    assert not Path("/run/deep").exists()
    for outside in ("/etc/x", "../etc/x", "/run"):
        with pytest.raises(BackendError, match="only below /run"):
            node.write(outside, "x")


# Deploys, writes to the node's /run, and looks at the /run that the program sees.
IN_A_CHROOT = """
import json, os, sys
from ppslab.model.lab import topology
from ppslab.testbed.backends import open_backend
with open_backend("namespaces") as backend:
    with backend.deploy(topology.load(sys.argv[1])) as lab:
        node = lab.node("n")
        node.write("chroot-test", "x")
        seen = node.run(["cat", "/run/chroot-test", "/lab/a"]).stdout
        print(json.dumps([seen, node.run(["ls", "/run"]).stdout, os.path.exists("/inside")]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="a chroot is root's")
@pytest.mark.parametrize("where", ["on a mount", "in the middle of one"])
def test_in_a_chroot_a_node_stays_in_it(tmp_path: Path, where: str) -> None:
    """Where the agent runs in a chroot, setns(2) alone would bring a node's commands out of it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text("bound")
    wiring = tmp_path / "t.clab.yml"
    wiring.write_text(LONE.replace("kind: linux", "kind: linux, binds: ['in:/lab']"))
    new = tmp_path / "base" / "new"
    new.mkdir(parents=True)
    folders = [p.name for p in Path("/").iterdir() if p.is_dir() and not p.is_symlink()]
    links = [p.name for p in Path("/").iterdir() if p.is_symlink()]
    script = [
        "set -e",
        f"mount -t tmpfs x {new if where == 'on a mount' else new.parent}",
        f"mkdir -p {new} && cd {new} && touch inside",
        *(f"mkdir {name} && mount --rbind /{name} {name}" for name in folders if name != "run"),
        "mkdir run",
        *(f"cp -P /{name} {name}" for name in links),
        'exec chroot . "$@"',
    ]
    shell = ["unshare", "--mount", "sh", "-c", "\n".join(script), "sh"]
    done = subprocess.run(
        [*shell, sys.executable, "-c", IN_A_CHROOT, str(wiring)],
        env={**os.environ, "PPSLAB_RUNTIME": str(tmp_path / "runtime")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert not Path("/run/chroot-test").exists()
    if where == "on a mount":
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == ["xbound", "chroot-test\n", True]
    else:
        assert "CannotHereError: the root folder is that of a chroot" in done.stderr
        assert "mount --bind" in done.stderr
