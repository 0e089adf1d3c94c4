"""A lab with one claim, and what is judged of records made up for it."""

from __future__ import annotations

from pathlib import Path

from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.lab.lab import Lab

FASTPATH = lab.find("fastpath")
TESTER = ("received", "reordered")
HEAD = ",".join(published.COLUMNS) + "\n"

ROWS = (
    "fast,one,A paper,A box,7,TCP,,,goodput,6.4,Gbit/s,6.4 Gbps,page 1,,\n"
    "slow,one,A paper,A box,7,TCP,,,goodput,3200,Mbit/s,3200 Mbps,page 1,,\n"
)  # fmt: skip

CLAIM = """claims:
  - id: one
    source: one
    statement: Something.
    published: %s
    settled_by: The box.
    judge:
      %s
"""


def made_lab(folder: Path, judge: str, published: str = "[]") -> Lab:
    """The lab with one claim, two published goodputs, and two counters on one condition."""
    (folder / "published.csv").write_text(HEAD + ROWS)
    (folder / "claims.yml").write_text(CLAIM % (published, judge))
    words = FASTPATH.spec.model_dump()
    for condition in words["conditions"]:
        if condition["name"] == "routing-3-rules":
            condition["linux"]["counters"] = {"seen": "echo 1", "queued": "echo 1"}
            condition["nodes"] = {"tester": {"counters": {"came": "echo 1"}}}
    return Lab(folder, type(FASTPATH.spec).model_validate(words))


def judged(
    folder: Path,
    judge: str,
    record: results.Record | None = None,
    tcp: results.TcpRecord | None = None,
    published: str = "[]",
) -> claims.Judged:
    (found,) = claims.judge_all(made_lab(folder, judge, published), claims.Runs.of(record, tcp))
    return found


def with_counts(record: results.Record, **counts: int) -> results.Record:
    """The record whose router counted, and whose tester received, so many of 100 000 frames."""
    trials = [
        trial.model_copy(
            update={
                "counters": {"seen": counts.get("seen", 0), "queued": counts.get("queued", 0)},
                "counts": {**(trial.counts or {}), **{k: counts[k] for k in counts if k in TESTER}},
            }
        )
        if trial.condition == "routing-3-rules"
        else trial
        for trial in record.trials
    ]  # fmt: skip
    return record.model_copy(update={"trials": tuple(trials)})
