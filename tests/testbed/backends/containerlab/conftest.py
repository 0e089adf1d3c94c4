"""The backend containerlab, with doubles of the programs that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.model.lab import topology
from ppslab.testbed.backends import Backend, Deployment, open_backend
from tests.testbed.backends.containerlab.doubled import LAB, Doubles, doubled


@pytest.fixture
def doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doubles]:
    """For one test."""
    yield from doubled(tmp_path, monkeypatch)


@pytest.fixture(scope="class")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Doubles, Deployment]]:
    """For the tests that only run commands."""
    folder = tmp_path_factory.mktemp("standing")
    (folder / "small.clab.yml").write_text(LAB)
    wiring = topology.load(folder / "small.clab.yml", foreign=True)
    with pytest.MonkeyPatch.context() as patch:
        for made in doubled(folder, patch):
            with open_backend("containerlab") as driven, driven.deploy(wiring, "small-1") as lab:
                yield made, lab


@pytest.fixture
def deployed(standing: tuple[Doubles, Deployment]) -> Deployment:
    return standing[1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.clab.yml"
    path.write_text(LAB)
    return path


@pytest.fixture
def driven(doubles: Doubles) -> Iterator[Backend]:
    with open_backend("containerlab") as opened:
        yield opened
