"""Programs that run on a node while a condition stands: started, waited for, stopped.

Each is marked by a variable of its environment, which its children inherit: a server of sessions
starts a process for each of them, in sessions of their own, which no process group holds.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ppslab.model.lab.conditions import Program

MARK = "PPSLAB_PROGRAM"

LOG = "/run/ppslab-program-{number}.log"
"""In the node's own /run; its end stands in the message where a program does not get ready."""

_LINES = 12

STOP = f"""marked() {{ grep -lsz '^{MARK}=' /proc/[0-9]*/environ | cut -d/ -f3 || :; }}
left=$(marked)
if [ -n "$left" ]; then
  kill $left 2>/dev/null || :
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    left=$(marked); [ -n "$left" ] || break; sleep 0.1
  done
  [ -z "$left" ] || kill -9 $left 2>/dev/null || :
fi
"""
"""Shell lines: ask all marked processes to end, and after two seconds make them."""


def start(programs: Sequence[Program]) -> str:
    """Shell lines that start the programs one after the other, each when the one before is ready.

    They fail where a program is not ready in its time, with the end of what it said.
    """
    return "".join(_start(number, program) for number, program in enumerate(programs))


def _start(number: int, program: Program) -> str:
    log = LOG.format(number=number)
    tries = max(1, round(program.seconds / 0.1))
    ready, run = shlex.quote(program.ready), shlex.quote(program.run)
    what = shlex.quote(f"not ready after {program.seconds:g} s: {program.run}")
    return (
        f"{MARK}={number} setsid sh -c {run} </dev/null >{log} 2>&1 &\n"
        f"try=0\nuntil sh -c {ready} >/dev/null 2>&1; do\n"
        f"  try=$((try + 1))\n  if [ $try -gt {tries} ]; then\n"
        f"    tail -n {_LINES} {log} >&2; echo {what} >&2; exit 1\n  fi\n  sleep 0.1\ndone\n"
    )
