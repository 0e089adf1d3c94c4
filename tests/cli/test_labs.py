"""A lab by hand: commands on its nodes, from a shell script's point of view."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.testbed.backends import capabilities
from tests.cli.conftest import PPSLAB, ROOT, Run, environment
from tests.support.waiting import PATIENCE

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="namespaces are needed: ppslab doctor"
    ),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A runtime folder in which the lab fastpath is up."""
    folder = tmp_path_factory.mktemp("r")
    words = {"cwd": ROOT, "env": environment(folder), "timeout": 300}
    up = [str(PPSLAB), "up", "fastpath", "--backend", "namespaces"]
    subprocess.run(up, check=True, **words)
    yield folder
    subprocess.run([str(PPSLAB), "down", "fastpath"], check=True, **words)


def run(place: Path, *argv: str, stdin: bytes = b"") -> tuple[int, str, str]:
    done = subprocess.run(
        [str(PPSLAB), *argv],
        cwd=ROOT,
        env=environment(place),
        input=stdin,
        capture_output=True,
        timeout=5 * PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("command", "stdin", "expected"),
    [
        (["--", "ip", "-br", "address", "show", "eth1"], b"", (0, "198.18.1.1/24", "")),
        (["ip", "-br", "address", "show", "eth1"], b"", (0, "198.18.1.1/24", "")),
        (["--", "sh"], b"hostname; echo low >&2; exit 3", (3, "dut", "low")),
        (["--", "sh", "-c", "cat; kill -9 $$"], b"a\nb", (137, "a\nb", "")),
        (["--", "nosuch"], b"", (127, "", "nosuch: not found")),
        (["--", "echo", "--", "--json"], b"", (0, "-- --json", "")),
    ],
)
def test_a_command_on_a_node(
    place: Path, command: list[str], stdin: bytes, expected: tuple[int, str, str]
) -> None:
    code, out, err = run(place, "exec", "fastpath", "dut", *command, stdin=stdin)
    assert code == expected[0], err
    assert expected[1] in out and expected[2] in err


@pytest.mark.parametrize(
    ("argv", "stdin"),
    [
        (["exec", "fastpath", "dt", "--", "ls"], b""),
        (["exec", "fastpath", "dut", "--"], b""),
        (["exec", "fastpath", "dut", "--", "cat"], b"\xff\xfe"),
        (["exec", "eoip", "r1", "--", "ls"], b""),
        (["shell", "fastpath", "dut"], b"ls\n"),
    ],
)
def test_what_cannot_be_done_is_a_wrong_argument(
    place: Path, argv: list[str], stdin: bytes
) -> None:
    code, _, err = run(place, *argv, stdin=stdin)
    assert (code, bool(err)) == (2, True)


def test_what_is_up_is_listed(place: Path, ppslab: Run) -> None:
    shown = " ".join(run(place, "status")[1].split())
    assert "fastpath" in shown and "namespaces" in shown and "until ppslab down" in shown
    assert "64, 512, 1518" in ppslab("labs").stdout
