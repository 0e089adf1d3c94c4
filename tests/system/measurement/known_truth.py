"""The lab `truth`, whose router has a known limit or loss in its way, and how it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends import open_backend

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
