"""A class at seats of a server, all tasks at once, on a copy of this machine with a real systemd.

    .venv/bin/python -m tests.system.benchmarks.class_load --seats 8 [--labs fastpath fasttrack]
        [--kill] [--loss 5] [--outage 60] [--shares 1024] [--output class.json]

`ppslab workshop rehearse --kind server` in the box of tests/course/workshop/seat_attacks: nothing
of it is left, whatever ends it.  It needs root and configurable-http-proxy (in PATH, or --proxy).
Exit codes: 0 every task was done and is on the board; 1 not; 3 no box can be started here.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from ppslab.base import paths
from ppslab.course.workshop.hub import running
from tests.course.workshop.class_room import site
from tests.course.workshop.seat_attacks import box

FOUND: Final = "/run/class.json"
PAGES: Final = "/run/site"
SYSTEM: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MIB: Final = 512
"""Of the box's memory for each seat's files, MiB: a lab's guest unpacks a kernel of 60 MiB."""


def main() -> int:
    """Start the box, rehearse in it, and bring out what came."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--labs", nargs="+", default=["fastpath", "fasttrack"])
    parser.add_argument("--seat-memory", type=int, default=1024, help="MiB per seat")
    parser.add_argument("--loss", type=float, default=0.0, help="per cent of the packets")
    parser.add_argument("--outage", type=float, default=0.0, help="seconds without network")
    parser.add_argument("--kill", action="store_true", help="board and hub, in mid-class")
    parser.add_argument(
        "--shares", type=int, default=1024,
        help="of the CPUs, as cpu(7) of cgroups version 1 counts; 1024: as much as all others",
    )  # fmt: skip
    parser.add_argument("--proxy", type=Path, default=None, help="the program of the hub's proxy")
    parser.add_argument("--output", type=Path, default=Path("class.json"))
    options = parser.parse_args()
    proxy = options.proxy or running.proxy()
    if proxy is None:
        parser.error(f"no {running.PROXY}: npm install {running.PROXY}@{running.PROXY_RELEASE}")
    # Whatever ends this script ends the box: else its finally is never reached.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rehearse = [
        *(str(Path(sys.executable).with_name("ppslab")), "workshop", "rehearse"),
        *("--kind", "server", "--site", PAGES, "--seats", str(options.seats)),
        *("--chapters", ",".join(options.labs), "--seat-memory", str(options.seat_memory)),
        *("--disk", f"{MIB}M", "--loss", str(options.loss), "--outage", str(options.outage)),
        *(("--kill",) if options.kill else ()),
        *("--output", FOUND),
    ]
    # The environment's own `node` would come before the system's, and is a wrapper: the hub ends
    # the wrapper alone, and the proxy goes on.
    environment = {
        "PATH": f"{SYSTEM}:{Path(proxy).absolute().parent}",
        "HOME": os.environ.get("HOME", "/root"),
        "PPSLAB_ROOT": str(paths.project_root()),
    }
    words = [f"{name}={value}" for name, value in environment.items()]
    try:
        with box.started(f"{1024 + MIB * options.seats}M") as made:
            made.weigh(options.shares)
            site(Path(f"/proc/{made.pid}/root{PAGES}"))
            done = subprocess.run(made.command("env", "-i", *words, *rehearse), check=False)
            came = Path(f"/proc/{made.pid}/root{FOUND}")
            if came.is_file():
                options.output.write_text(came.read_text())
                print(f"all of it: {options.output}")
            return done.returncode
    except box.NoBoxError as error:
        print(f"no box: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
