"""A class for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ppslab_class.class_room import ClassRoom, served


@pytest.fixture
def room(tmp_path: Path) -> Iterator[ClassRoom]:
    """A served class of three seats."""
    with served(tmp_path) as made:
        yield made
