"""A small site of the test's own records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.course.site.small_site import Site


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    yield Site(tmp_path)
