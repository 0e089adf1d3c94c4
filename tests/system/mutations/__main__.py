"""Put the mutations in, a round at a time, and say which of them the tests saw.

    python -m tests.system.mutations                 list them
    python -m tests.system.mutations run [ROUND...]  its target of make in a clone of HEAD

Exit codes: 0 every mutation was seen, 1 some were not, 2 wrong words.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.system import mutations
from tests.system.mutations import Mutation, Round

ROOT = Path(__file__).resolve().parents[3]
RED = "FAILED "
AUTHOR = ("-c", "user.name=mutations", "-c", "user.email=mutations@localhost",
          "-c", "commit.gpgsign=false")  # fmt: skip


def git(folder: Path, *words: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", *AUTHOR, *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


def run(name: str, asked: Round, chosen: dict[str, Mutation]) -> dict[str, list[str]]:
    """Run the tests with these mutations; for each, what saw it."""
    with tempfile.TemporaryDirectory(prefix="ppslab-mutations-") as folder:
        clone = Path(folder) / "main"
        git(ROOT, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone))
        for each in chosen.values():
            each.put_in(clone)
        (clone / mutations.PUT_IN.relative_to(ROOT)).write_text("\n".join(chosen) + "\n")
        git(clone, "add", "--all")
        git(clone, "commit", "--quiet", "--no-verify", "-m", f"Mutations: {', '.join(chosen)}")
        words = [f"ONLY={asked.only}"] if asked.only else []
        told = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        with (Path(folder) / "log").open("w+") as log:
            subprocess.run(
                ["make", "--keep-going", asked.target, *words],
                cwd=clone, env={**told, "CI": "true"}, check=False,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        log_text = (Path(folder) / "log").read_text(errors="replace")
        kept = clone / "_build/tests/report.txt"
        report = kept.read_text() if kept.exists() else log_text
    print("\n".join(log_text.splitlines()[-60:]), flush=True)
    red = [line.removeprefix(RED).removeprefix("make ").split(" - ")[0]
           for line in report.splitlines() if line.startswith(RED)]  # fmt: skip
    return {key: each.seen_by(red, log_text) for key, each in chosen.items()}


def main() -> int:
    """List the mutations, or run rounds of them."""
    found = mutations.load()
    reader = argparse.ArgumentParser(
        prog="python -m tests.system.mutations", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    reader.add_argument("what", nargs="?", default="list", choices=["list", "run"])
    reader.add_argument("rounds", nargs="*", metavar="ROUND", help=", ".join(found.rounds))
    asked = reader.parse_args()
    if unknown := set(asked.rounds) - found.rounds.keys():
        reader.error(f"no round {min(unknown)!r}: there are {', '.join(found.rounds)}")
    if asked.what == "list":
        for name, each in found.mutations.items():
            print(f"{each.round:<6} {name:<26} {each.file}: {each.says}")
        return 0
    seen: dict[str, list[str]] = {}
    for name in asked.rounds or found.rounds:
        print(f"== round {name}", flush=True)
        seen |= run(name, found.rounds[name], found.of(name))
    print()
    for name, by in seen.items():
        more = f" and {len(by) - 1} more" if len(by) > 1 else ""
        print(f"{name:<26} {f'seen by {by[0]}{more}' if by else 'NOT SEEN'}")
    unseen = sum(not by for by in seen.values())
    print(f"{len(seen) - unseen} of {len(seen)} seen")
    return int(unseen > 0)


if __name__ == "__main__":
    sys.exit(main())
