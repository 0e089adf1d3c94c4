"""Takes down what a run left under containerlab, also after its program was killed.

Imported by the registry: no more than the standard library, and nothing done without a run.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ppslab.backends.containerlab.steps import (
    DESTROY_SECONDS,
    SHORT_SECONDS,
    copied,
    folder,
    taking_down,
)

_OURS = ("PATH", "HOME", "USER", "SUDO_USER")
_THEIRS = ("DOCKER_", "CLAB_", "XDG_")


def told() -> dict[str, str]:
    """The environment of docker and containerlab: where their engine is, and who asks.

    Nothing else, so that no secret of this program's gets to them.
    """
    return {k: v for k, v in os.environ.items() if k in _OURS or k.startswith(_THEIRS)}


def take_down(plain: Mapping[str, Any], run: str) -> str:
    """Destroy a run's containers and remove its files; what went wrong, or nothing.

    What containerlab leaves is removed by its label, so that nothing stays whatever state it is in.
    """
    copy = copied(plain, run)
    down, files = taking_down(plain, run)
    if copy.exists():
        command(down.command, down.env, DESTROY_SECONDS)
    listed = command(_listing(run, "{{.ID}}"))
    if listed.returncode:
        return listed.stderr.strip() or "docker does not answer"
    left = listed.stdout.split()
    if left:
        removed = command(("docker", "rm", "--force", "--volumes", *left), seconds=DESTROY_SECONDS)
        if removed.returncode:
            return removed.stderr.strip()
    command(files.command)
    if copy.exists() or folder(run).exists():
        return f"cannot remove {copy} and {folder(run)}"
    return ""


def sweep(note: Path) -> None:
    """Take down what a note of the registry says; kept for the next time where that fails."""
    try:
        told = json.loads(note.read_text())
        plain, run = {"file": str(told["file"])}, str(told["run"])
    except FileNotFoundError:
        return
    except (ValueError, TypeError, KeyError):
        note.unlink(missing_ok=True)
        return
    if not take_down(plain, run):
        note.unlink(missing_ok=True)


def keep_logs(run: str, into: Path, deploy: str) -> None:
    """The log of each container of a run, in a file of its name; `deploy`: containerlab's log."""
    into.mkdir(parents=True, exist_ok=True)
    (into / "containerlab.log").write_text(deploy)
    for name in command(_listing(run, "{{.Names}}")).stdout.split():
        logs = command(("docker", "logs", "--tail", "1000", name))
        (into / f"{name}.log").write_text(logs.stdout + logs.stderr)
        (into / f"{name}.json").write_text(command(("docker", "inspect", name)).stdout)


def _listing(run: str, format: str) -> tuple[str, ...]:
    label = f"label=containerlab={run}"
    return ("docker", "ps", "--all", "--no-trunc", "--filter", label, "--format", format)


def command(
    argv: tuple[str, ...], env: Mapping[str, str] | None = None, seconds: float = SHORT_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command of this machine; 127 where it is missing, 124 where it is too slow."""
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            env={**told(), **(env or {})},
            start_new_session=True,
        )
    except FileNotFoundError:
        return subprocess.CompletedProcess(argv, 127, "", f"{argv[0]} is not here")
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(argv, 124, "", str(error))
