"""The whole campaign: `python -m tests.system.campaign [--inputs 1240] [--seed 1] [--first 0]`.

Ends with 1 where an input had a traceback, took over 5 s of CPU or 500 MB, or printed a control
character raw.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tests.system.campaign import running


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    told = parser.parse_args()
    running.prepare()
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(told.first, told.first + told.inputs):
            outcome = running.run(number, told.seed, Path(folder))
            outcomes.append(outcome)
            if outcome.faults:
                print(f"input {number}: {', '.join(outcome.faults)}", file=sys.stderr, flush=True)
            shutil.rmtree(Path(folder) / f"{number}", ignore_errors=True)
    print(running.summary(outcomes))
    return int(any(each.faults for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
