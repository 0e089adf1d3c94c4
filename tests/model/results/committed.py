"""What the records in results/ say, in short: causes of their trials, verdicts, what was caught.

    python -m tests.model.results.committed

writes it to committed.json, which is what it said when the records were made.  To be run only
after records came or went: a change of code that moves a verdict of an old record is a mistake.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.results import Record, TcpRecord
from ppslab.model.results.kinds.faults import FaultsRecord

FOLDER = Path(__file__).resolve().parents[3] / "results"
EXPECTED = Path(__file__).with_name("committed.json")


def paths() -> list[Path]:
    """The committed records, by name."""
    return sorted(FOLDER.glob("*.json"))


def told(path: Path) -> dict[str, Any]:
    """What one record says: how many trials each cause spoiled, and what follows from the rest."""
    record = results.load_any(path)
    spoiled = Counter(str(cause) for trial in record.trials for cause in trial.causes)
    said: dict[str, Any] = {
        "trials": len(record.trials),
        "valid": sum(trial.valid for trial in record.trials),
        "causes": dict(sorted(spoiled.items())),
    }
    if isinstance(record, FaultsRecord):
        said["outcomes"] = {fault.name: fault.outcome for fault in record.faults}
    if isinstance(record, (Record, TcpRecord)):
        packets = record if isinstance(record, Record) else None
        tcp = record if isinstance(record, TcpRecord) else None
        judged = claims.judge_all(lab.find(record.lab), claims.Runs.of(packets, tcp))
        said["verdicts"] = {
            each.id: f"{each.verdict}, {each.evidence or 'nothing measured'}" for each in judged
        }
    return said


if __name__ == "__main__":
    everything = {path.name: told(path) for path in paths()}
    EXPECTED.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
