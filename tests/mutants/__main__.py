"""Put small defects into the code, drawn at random, and count those that `make check` sees.

    python -m tests.mutants [--draw 300] [--bounds 100] [--seed 1] [PATH...]

A bound is `<` for `<=` and its like; the rest are drawn from all that cosmic-ray knows to change.
Of each defect the tests are run that execute its line (of a module's own lines: those that execute
any of its functions), in a copy of the working tree.  `equivalent.yml` names
the changes that alter no behaviour; they are drawn anew.
Exit codes: 0 at least 92 % of the draw and 85 % of the bounds were seen, 1 fewer, 2 wrong words.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

import yaml
from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import apply_mutation
from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "_build/mutants"
SOURCES = ("packages/rosexplain/src", "src/ppslab/judge", "src/ppslab/model")
PYTEST = (
    *("-m", "pytest", "-c", "pyproject.toml", "-p", "no:nbval", "-p", "no:cacheprovider"),
    "--quiet",
)
TESTS = (
    *("packages/rosexplain/tests", "tests/judge", "tests/model"),
    *("tests/show", "tests/course", "tests/golden", "tests/measure", "tests/benchmarks"),
)
"""Of make check's, those that call the sources."""
GOALS = {"defects": 0.92, "bounds": 0.85}
MOST_SECONDS = 300
"""After these a test that hangs has seen the defect."""
MAP_SECONDS = 1800
UNUSED = 5
"""pytest's code where it collected no test."""

BOUNDS = ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt")
DEFECTS = tuple(
    f"core/{name}"
    for name in (
        "AddNot", "NumberReplacer", "ZeroIterationForLoop", "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd",
        "ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ReplaceUnaryOperator_Delete_Not",
        *(f"ReplaceBinaryOperator_{pair}" for pair in
          ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv")),
        *(f"ReplaceComparisonOperator_{pair}" for pair in
          ("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is", "Lt_Gt", "Gt_Lt", "LtE_GtE", "GtE_LtE")),
    )
)  # fmt: skip
BOUND_OPERATORS = tuple(f"core/ReplaceComparisonOperator_{pair}" for pair in BOUNDS)


@dataclass(frozen=True)
class Mutant:
    """One change: cosmic-ray's operator at its n-th place in a file, and that place's lines."""

    path: str
    operator: str
    occurrence: int
    lines: tuple[int, int]
    text: str
    """The first line that it changes."""

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[0]}: {self.operator.removeprefix('core/')}: {self.text}"


def mutants(paths: list[str], operators: tuple[str, ...]) -> list[Mutant]:
    """All changes by these operators in the Python files under `paths`, in a fixed order."""
    every: list[Mutant] = []
    for path in sorted({f for name in paths for f in [ROOT / name, *(ROOT / name).rglob("*.py")]}):
        if not path.is_file():
            continue
        nodes = list(ast_nodes(get_ast_from_path(path)))
        lines = path.read_text(encoding="utf-8").splitlines()
        for name in operators:
            operator = plugins.get_operator(name)()
            places = [place for node in nodes for place in operator.mutation_positions(node)]
            every += [
                Mutant(
                    str(path.relative_to(ROOT)),
                    name,
                    number,
                    (begin[0], end[0]),
                    lines[begin[0] - 1].strip(),
                )
                for number, (begin, end) in enumerate(places)
                # No product: it ends a function's positional parameters, and mypy holds it.
                if not lines[begin[0] - 1].startswith("*,", begin[1])
            ]
    return every


def drawn(every: list[Mutant], count: int, chance: random.Random) -> list[Mutant]:
    """Draw so many of them at random, without those that change no behaviour."""
    rows = yaml.safe_load((Path(__file__).parent / "equivalent.yml").read_text()) or []
    equivalent = {(row["file"], row["operator"], row["line"]) for row in rows}
    left = [
        mutant
        for mutant in every
        if (mutant.path, mutant.operator.removeprefix("core/"), mutant.text) not in equivalent
        # Frozen or not: mypy holds it.
        and not mutant.text.startswith("@dataclass(")
    ]
    return chance.sample(left, min(count, len(left)))


@dataclass
class Copy:
    """A copy of the working tree, with the built parts of the original."""

    root: Path

    @classmethod
    def of(cls, folder: Path) -> Copy:
        """Copy what git knows and what is new, and link what is built."""
        files = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"],
            cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
        ).stdout.split("\0")  # fmt: skip
        for name in filter(None, files):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
        for name in (".venv", "_build", "web/node_modules", ".git"):
            (folder / name).symlink_to(ROOT / name)
        return cls(folder)

    def run(self, *words: str, seconds: int = MOST_SECONDS) -> subprocess.CompletedProcess[str]:
        """Run Python on the copy's own sources."""
        sources = [self.root / "src", *self.root.glob("packages/*/src"), self.root]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, sources)),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            ["timeout", str(seconds), sys.executable, *words], cwd=self.root, check=False,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def seen(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether a test is red with the change in."""
        path = self.root / mutant.path
        original = path.read_bytes()
        listed = self.root / "tests-of-mutant"
        listed.write_text("\n".join(tests), encoding="utf-8")
        try:
            apply_mutation(path, plugins.get_operator(mutant.operator)(), mutant.occurrence)
            done = self.run(*PYTEST, "-x", "-n0", f"@{listed}")
            if done.returncode == UNUSED or "error: unrecognized" in done.stdout:
                raise SystemExit(f"tests.mutants: no test was run for {mutant}:\n{done.stdout}")
            return done.returncode != 0
        finally:
            path.write_bytes(original)


def contexts(copy: Copy) -> CoverageData:
    """Which test executes which line: pytest-cov's contexts of one run of the quick tests.

    Kept until a file of the sources or of the tests is another one.
    """
    digest = hashlib.sha256()
    for folder in (*SOURCES, *TESTS):
        for path in sorted((copy.root / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    file = KEPT / f"coverage-{digest.hexdigest()[:16]}"
    if not file.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        settings = copy.root / ".coveragerc"
        settings.write_text(f"[run]\ndata_file = {file}\n")
        done = copy.run(
            *PYTEST, "--part=check", "-n2", "--dist=loadfile", "--cov-context=test",
            "--cov-report=", f"--cov-config={settings}",
            *(f"--cov={copy.root / source}" for source in SOURCES), *TESTS, seconds=MAP_SECONDS,
        )  # fmt: skip
        if done.returncode:
            file.unlink(missing_ok=True)
            print(done.stdout[-3000:])
            raise SystemExit("tests.mutants: the tests are red without a defect: make check")
    data = CoverageData(str(file))
    data.read()
    return data


def tests_of(mutant: Mutant, data: CoverageData) -> list[str]:
    """The tests that execute a mutant's line, or, of what runs at import, the module's."""
    measured = [name for name in data.measured_files() if name.endswith("/" + mutant.path)]
    if not measured:
        return []
    by_line = data.contexts_by_lineno(measured[0])
    first, last = mutant.lines
    ids = {c for line in range(first, last + 1) for c in by_line.get(line, ()) if c}
    if not ids:
        ids = {c for each in by_line.values() for c in each if c}
    return sorted({context.rpartition("|")[0] for context in ids})


def outcomes(sample: list[Mutant], copies: Queue[Copy], data: CoverageData) -> Iterator[bool]:
    """For each mutant whether it was seen, as many at once as there are copies."""

    def one(mutant: Mutant) -> bool:
        tests = tests_of(mutant, data)
        copy = copies.get()
        try:
            return bool(tests) and copy.seen(mutant, tests)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(copies.qsize()) as pool:
        yield from pool.map(one, sample)


def main() -> int:
    """Draw, run, and print what was not seen."""
    reader = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    reader.add_argument("paths", nargs="*", default=list(SOURCES), metavar="PATH")
    reader.add_argument("--draw", type=int, default=300, help="defects (300)")
    reader.add_argument("--bounds", type=int, default=100, help="bounds (100)")
    reader.add_argument("--seed", type=int, default=1)
    asked = reader.parse_args()
    if wrong := [path for path in asked.paths if not (ROOT / path).exists()]:
        reader.error(f"{wrong[0]}: there is no such file or folder")
    chance = random.Random(asked.seed)
    samples = {
        "defects": drawn(mutants(asked.paths, DEFECTS), asked.draw, chance),
        "bounds": drawn(mutants(asked.paths, BOUND_OPERATORS), asked.bounds, chance),
    }
    copies: Queue[Copy] = Queue()
    code = 0
    with tempfile.TemporaryDirectory(prefix="ppslab-mutants-") as folder:
        for number in range(os.cpu_count() or 1):
            copies.put(Copy.of(Path(folder) / str(number)))
        data = contexts(copies.queue[0])
        for name, sample in samples.items():
            count = 0
            for mutant, seen in zip(sample, outcomes(sample, copies, data), strict=True):
                count += seen
                print(f"{'seen    ' if seen else 'NOT SEEN'} {mutant}", flush=True)
            share = count / len(sample) if sample else 1.0
            print(f"{name}: {count} of {len(sample)} seen ({share:.0%})", flush=True)
            code |= share < GOALS[name]
    return code


if __name__ == "__main__":
    sys.exit(main())
