#!/usr/bin/env python3
"""Run every lab, one after the other, and say at the end which failed and which could not be run.

    .venv/bin/python scripts/records/run_each.py --backend containerlab --profile quick ...

The words go to `ppslab run LAB` as they are.  A lab with a machine of its own is left out: its
sockets are those of a guest, and no container has them.
A lab that `ppslab run` cannot run here (exit code 3) is no failure.
Exit codes: 0 none failed, and one at least was measured; 1 else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ppslab.core.errors import CannotHereError
from ppslab.model.lab import lab

PPSLAB = Path(sys.executable).with_name("ppslab")


def main(words: list[str]) -> int:
    """Run them; see the top of the file for the exit codes."""
    measured: list[str] = []
    failed: list[str] = []
    for name in lab.names():
        if lab.find(name).spec.machine is not None:
            say("notice", f"{name} wants a machine of its own: left out")
            continue
        print(f"ppslab run {name} {' '.join(words)}", flush=True)
        code = subprocess.run([PPSLAB, "run", name, *words], check=False).returncode
        if code == CannotHereError.exit_code:
            say("warning", f"{name} cannot be measured here: see what it printed")
        else:
            (failed if code else measured).append(name)
    for name in failed:
        say("error", f"{name} failed")
    print(f"measured: {', '.join(measured) or 'none'}; failed: {', '.join(failed) or 'none'}")
    return 0 if measured and not failed else 1


def say(kind: str, text: str) -> None:
    """A line that GitHub shows beside the run, where GitHub reads it."""
    print(f"::{kind}::{text}" if os.environ.get("GITHUB_ACTIONS") else text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
