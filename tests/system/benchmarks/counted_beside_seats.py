"""A counted run beside busy seats, compared with the newest kept record, condition by condition.

    .venv/bin/python -m tests.system.benchmarks.counted_beside_seats --seats 20 [--lab fastpath]
        [--condition routing-plain --condition routing-3-rules] [--size 64] [--nice 0] [--within 1]

Seats are shells that compute without a pause, as many as are asked for, until the run has ended.
It changes no kept record; a JSON object of the figures is printed with --json.
Exit codes: 0 every figure is within so many per cent; 1 one is not, or is of another kernel;
2 there is no kept counted record.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.results import Record

PPSLAB = Path(sys.executable).with_name("ppslab")


@dataclass(frozen=True)
class Figure:
    """A condition's cost in both runs, in the unit of the record's clock for one packet."""

    condition: str
    size: int
    kept: float
    beside: float

    @property
    def apart(self) -> float:
        """How far they are apart, per cent of the kept one."""
        return 100 * abs(self.beside / self.kept - 1)


def main() -> int:
    """Run beside the seats, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seats", type=int, default=20)
    parser.add_argument("--lab", default="fastpath")
    parser.add_argument("--condition", action="append", default=[], help="default: all that count")
    parser.add_argument("--size", type=int, default=64, help="of a frame, bytes")
    parser.add_argument("--nice", type=int, default=0, help="of the seats' shells")
    parser.add_argument("--within", type=float, default=1.0, help="per cent")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    kept = results.newest(options.lab, "counted")
    if kept is None:
        print(f"no counted record of {options.lab} is kept", file=sys.stderr)
        return 2
    names = options.condition or costs.measured_conditions(kept)
    with busy(options.seats, options.nice) as shells:
        beside = counted(options.lab, names, options.size)
        stood = sum(each.poll() is None for each in shells)
    found = figures(kept, beside, names, options.size)
    kernels = [each.provenance().kernel for each in (kept, beside)]
    same = kernels[0] == kernels[1]
    well = bool(found) and same and all(each.apart <= options.within for each in found)
    if options.json:
        told = {"seats": stood, "same_kernel": same, "figures": [asdict(each) for each in found]}
        print(json.dumps(told, indent=2))
    else:
        print(f"{stood} busy seats on {len(os.sched_getaffinity(0))} CPUs; kept: {kept.started}")
        for each in found:
            print(
                f"{each.condition:32}{each.size:6} {each.kept:10.1f} {each.beside:10.1f} "
                f"{each.apart:6.2f} %"
            )
        if not same:
            print(f"kernels: {' and '.join(kernels)}")
    return 0 if well else 1


@contextmanager
def busy(seats: int, nice: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many shells that compute, while this is open."""
    words = ["nice", "-n", str(nice), "sh", "-c", "while :; do :; done"]
    shells: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(seats):
            shells.append(subprocess.Popen(words))
        yield shells
    finally:
        for each in shells:
            each.kill()
        for each in shells:
            each.wait()


def counted(lab: str, conditions: list[str], size: int) -> Record:
    """The record of a run that counts, which is kept nowhere."""
    asked = ["run", lab, "--measure", "counted", "--size", str(size), "--no-search"]
    for name in conditions:
        asked += ["--condition", name]
    with tempfile.TemporaryDirectory(prefix="ppslab-beside-") as folder:
        environment = os.environ | {"PPSLAB_RESULTS": folder}
        subprocess.run(
            [str(PPSLAB), *asked], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        (path,) = Path(folder).rglob(f"{lab}-*.json")
        return results.load(path)


def figures(kept: Record, beside: Record, conditions: list[str], size: int) -> list[Figure]:
    """What both runs have, in the order of the conditions."""
    return [
        Figure(name, size, costs.cost(kept, name, size).estimate,
               costs.cost(beside, name, size).estimate)
        for name in conditions
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
