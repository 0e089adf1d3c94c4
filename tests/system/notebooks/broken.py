"""A lab with a defect: its notebook, stored from a record and run live, says so and fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.model import results
from ppslab.testbed.backends import capabilities
from tests.system.notebooks.conftest import Nbval, project_copy


@dataclass(frozen=True)
class Broken:
    """A defect of one condition, and the notebook that must show it.

    `conditions`: those that are run, the broken one last; few, as a guest takes seconds for each.
    `breaks`: puts the defect into the lab's folder.  `finds`: what the read-back says of it, a
    pattern.  `shown`: a cell with what else must be shown.
    """

    lab: str
    conditions: tuple[str, ...]
    breaks: Callable[[Path], None]
    finds: str
    sizes: tuple[int, ...] = ()
    shown: str = ""
    needs: frozenset[str] = frozenset()
    backend: str = "vm"

    @property
    def cells(self) -> list[str]:
        """The notebook's code."""
        words = f"{list(self.conditions)}, {list(self.sizes)}, search=False"
        run = f'run = ppslab.open("{self.lab}").run({words})'
        return ["import ppslab", run, "run", *([self.shown] if self.shown else [])]


def fails(nbval: Nbval, case: Broken) -> None:
    """Every condition but the broken one is measured, and that one is refused for its defect.

    What decides is what was read back from the router: noise spoils no such trial, and a healthy
    condition is measured if one trial of its rounds is.
    """
    try:
        capabilities.choose(case.needs, case.backend)
    except CannotHereError as error:
        pytest.skip(str(error))
    count = len(case.conditions)
    stored = nbval.store(case.cells, PPSLAB_BACKEND="recorded")
    assert f"{count} of {count} conditions measured" in stored.read_text()
    project = project_copy(nbval.folder)
    case.breaks(project / "labs" / case.lab)
    of_one_round(project / "labs" / case.lab, case.conditions[-1])
    done = nbval.compare_live(stored, project, case.backend)
    assert done.returncode == 1
    assert f"{count - 1} of {count} conditions measured" in done.stdout, done.stdout
    records = sorted((nbval.folder / "results").rglob("*.json"))
    whole = [path for path in records if not path.name.endswith(".aborted.json")]
    record = results.load(whole[-1])
    tried = [each for each in record.trials if each.condition == case.conditions[-1]]
    assert tried
    for trial in tried:
        assert not trial.valid
        assert any(re.search(case.finds, why) for why in trial.invalid_because), trial


def of_one_round(lab: Path, condition: str) -> None:
    """Measure the condition once: what is refused is refused in each of three attempts."""
    file = lab / "lab.yml"
    before, name, after = file.read_text().partition(f"  - name: {condition}\n")
    assert name, condition
    mine, dash, others = after.partition("\n  - name: ")
    once = re.sub(r"(?m)^    rounds: \d+$", "    rounds: 1", mine)
    if once == mine:
        once = re.sub(r"(?m)^    flows: .*$", r"\g<0>\n    rounds: 1", mine)
    assert once.count("    rounds: 1") == 1
    file.write_text(before + name + once + dash + others)
