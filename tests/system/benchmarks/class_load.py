"""A class at seats of a server, all tasks at once, on a copy of this machine with a real systemd.

    .venv/bin/python -m tests.system.benchmarks.class_load --seats 8 [--labs fastpath fasttrack]
        [--kill] [--loss 5] [--outage 60] [--shares 1024] [--output class.json]

`ppslab workshop rehearse --kind server` in the box of tests/ppslab_class/seat_attacks: nothing
of it is left, whatever ends it.  It needs root and configurable-http-proxy (in PATH, or --proxy;
not in /tmp).  How far it is comes on standard error, every 15 seconds.  Where guests are emulated
it takes some two minutes a seat on two slow CPUs: 8 seats a quarter of an hour and more.
Exit codes: 0 every task was done and is on the board; 1 not; 3 no box can be started here; 130
broken off.
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
from ppslab_class.hub import proxy
from tests.ppslab_class.class_room import site
from tests.ppslab_class.seat_attacks import box

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
    program = options.proxy or proxy.program()
    if program is None:
        parser.error(f"no {proxy.PROGRAM}: npm ci --ignore-scripts --prefix {proxy.LOCKED}")
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
        "PATH": f"{SYSTEM}:{Path(program).absolute().parent}",
        "HOME": os.environ.get("HOME", "/root"),
        "PPSLAB_ROOT": str(paths.project_root()),
    }
    words = [f"{name}={value}" for name, value in environment.items()]
    try:
        print("a box starts", file=sys.stderr)
        with box.started(f"{1024 + MIB * options.seats}M") as made:
            made.weigh(options.shares)
            site(Path(f"/proc/{made.pid}/root{PAGES}"))
            code = _done(_weighed(made, made.command("env", "-i", *words, *rehearse)))
            came = Path(f"/proc/{made.pid}/root{FOUND}")
            if came.is_file():
                options.output.write_text(came.read_text())
                print(f"all of it: {options.output}")
            return code
    except box.NoBoxError as error:
        print(f"no box: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("broken off: the box is gone, with its seats and its server", file=sys.stderr)
        return 130


def _weighed(made: box.Box, command: list[str]) -> list[str]:
    """The command in a group of the box, with the weight of all seats together.

    nsenter leaves it in ours: a nice hub would get no CPU beside anything that is not.
    """
    groups = [
        each / "class"
        for each in made.groups
        if (each / "cpu.shares").exists() or (each / "cgroup.controllers").exists()
    ]
    for each in groups:
        each.mkdir()
    join = "".join(f"echo $$ > {each}/cgroup.procs && " for each in groups)
    return ["bash", "-c", f'{join}exec "$@"', "bash", *command]


def _done(command: list[str]) -> int:
    """Its exit code; where this is interrupted nothing more is, until the box is gone."""
    stops = (signal.SIGINT, signal.SIGTERM)
    came: list[int] = []
    # Raised in the middle of Popen it would leave a child that nobody knows, with our pipes open.
    for number in stops:
        signal.signal(number, lambda sent, _: came.append(sent))
    # A session of its own: Ctrl-C is this script's, and the box ends what is in it.
    process = subprocess.Popen(command, start_new_session=True)
    for number in stops:
        signal.signal(number, signal.default_int_handler)
    try:
        if came:
            raise KeyboardInterrupt
        return process.wait()
    except KeyboardInterrupt:
        for number in stops:
            signal.signal(number, signal.SIG_IGN)
        process.kill()
        process.wait()
        raise


if __name__ == "__main__":
    sys.exit(main())
