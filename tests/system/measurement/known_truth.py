"""The lab `truth`, whose router has a known limit or loss in its way, and how it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ppslab.backends import open_backend
from ppslab.lab import lab, profiles
from ppslab.measurement.testbed.linux import stand
from ppslab.measurement.trial.trial import FrameTestbed

TRUTH = Path(__file__).with_name("truth")
DEPTH = 50
BUCKET = 40  # of the DEPTH that the truth's token bucket holds


@contextmanager
def standing(backend_name: str) -> Iterator[FrameTestbed]:
    """The truth lab on a backend, ready for trials."""
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend(backend_name))
        found = stand(stack, backend, lab.load(TRUTH), profiles.load("quick"))
        found.bearable_burst = BUCKET
        yield found
