"""A record as if only some conditions and frame sizes had been measured.

A notebook that measures a part of a lab shows the same part of a recorded run: without the
reference nothing is measured against itself either.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.model.results.kinds.cost import Record
from ppslab.model.results.kinds.tcp import TcpRecord


def only(
    record: Record,
    conditions: Sequence[str] = (),
    sizes: Sequence[int] = (),
    *,
    search: bool = True,
) -> Record:
    """The part of a record of `ppslab run`; empty means all of it."""
    names = set(conditions) or {condition.name for condition in record.conditions}
    sizes_kept = [size for size in record.frame_sizes if not sizes or size in sizes]
    return record.model_copy(
        update={
            "conditions": tuple(c for c in record.conditions if c.name in names),
            "skipped": tuple(s for s in record.skipped if not conditions or s.condition in names),
            "frame_sizes": tuple(sizes_kept),
            "trials": tuple(
                trial
                for trial in record.trials
                if trial.frame_size in sizes_kept
                and (trial.condition in names or trial.condition is None)
            ),
            "searches": tuple(
                found
                for found in record.searches
                if search and found.condition in names and found.frame_size in sizes_kept
            ),
        }
    )


def only_tcp(record: TcpRecord, conditions: Sequence[str] = ()) -> TcpRecord:
    """The part of a record of `ppslab tcp`; empty means all of it."""
    names = set(conditions) or {condition.name for condition in record.conditions}
    return record.model_copy(
        update={
            "conditions": tuple(c for c in record.conditions if c.name in names),
            "skipped": tuple(s for s in record.skipped if not conditions or s.condition in names),
            "transfers": tuple(
                transfer for transfer in record.transfers if transfer.condition in names
            ),
        }
    )
