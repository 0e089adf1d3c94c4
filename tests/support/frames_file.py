"""Frames files as ppstraffic writes them (traffic/src/receiving/record.h)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ppslab.testbed.testers.frames import (
    _FLOW,
    _HEADER,
    MAGIC,
    NAME_SIZE,
    ROW,
    VERSION,
    Frames,
    Paced,
)


def write(frames: Frames) -> bytes:
    steps = [*frames.steps, Paced(0.0, 0), Paced(0.0, 0)][:2]
    header_size = _HEADER.size + len(frames.ports) * NAME_SIZE + len(frames.flows) * _FLOW.size
    parts = [
        _HEADER.pack(
            MAGIC,
            VERSION,
            header_size,
            ROW.itemsize,
            len(frames.ports),
            len(frames.flows),
            len(frames.rows),
            frames.size,
            0,
            frames.epoch,
            *(value for step in steps for value in (step.rate, step.count)),
        )
    ]
    parts += [port.encode().ljust(NAME_SIZE, b"\0") for port in frames.ports]
    parts += [
        _FLOW.pack(flow.name.encode(), flow.intended, flow.offered, flow.weight, flow.tx, flow.rx)
        for flow in frames.flows
    ]
    return b"".join([*parts, frames.rows.tobytes()])


def rows(columns: Mapping[str, npt.ArrayLike]) -> npt.NDArray[np.void]:
    """Rows from columns of the names of ROW, each of one length or a scalar; missing ones are 0."""
    arrays = np.broadcast_arrays(*(np.asarray(column) for column in columns.values()))
    table = np.zeros(arrays[0].shape, dtype=ROW)
    for name, array in zip(columns, arrays, strict=True):
        table[name] = array
    return table
