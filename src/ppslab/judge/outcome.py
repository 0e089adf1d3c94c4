"""The outcome of judging a lab: its verdicts, or the reason why there are none.

Here, and nowhere else, a failure of one lab's judging becomes a result, which pages and commands
show, so that the other labs are judged all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ppslab.core.errors import PpslabError
from ppslab.judge import claims
from ppslab.judge.claims.judging import judge_all
from ppslab.judge.claims.runs import Runs, newest
from ppslab.judge.claims.verdicts import Judged
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published, topology
from ppslab.model.lab.lab import Lab


@dataclass(frozen=True)
class Outcome:
    """The verdicts on a lab's claims by these runs; `fault`: why there are none."""

    lab: Lab
    runs: Runs = field(default_factory=Runs)
    judged: tuple[Judged, ...] = ()
    fault: PpslabError | None = None

    @property
    def sentence(self) -> str:
        """That the lab could not be judged, and why; empty where it was."""
        return f"{self.lab.name} could not be judged: {self.fault}" if self.fault else ""


def of(lab: Lab, find: Callable[[str], Runs] = newest) -> Outcome:
    """Judge a lab by the runs that `find` gives for its name, whatever may be wrong with them."""
    try:
        runs = find(lab.name)
        return Outcome(lab, runs, tuple(judge_all(lab, runs)))
    except PpslabError as error:
        return Outcome(lab, fault=error)


def wrong_files() -> dict[str, PpslabError]:
    """The labs that a file of theirs keeps from being measured or judged: what is wrong with it."""
    readable, wrong = labs.tried()
    for lab in readable:
        try:
            topology.find(lab.spec.topology)
            for file, load in (("published.csv", published.load), ("claims.yml", claims.load)):
                if (lab.folder / file).is_file():
                    load(lab)
        except PpslabError as error:
            wrong[lab.name] = error
    return wrong
