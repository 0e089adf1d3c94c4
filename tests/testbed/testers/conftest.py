"""An inventory of testers, and no environment that names another."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.testbed.testers.inventory import CONFIG, PASSWORD


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (CONFIG, PASSWORD):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    return tmp_path / "testers.yml"
