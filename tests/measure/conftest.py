"""A session of the lab fastpath on a machine with a clock of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.measure import experiment
from ppslab.model.lab import lab
from ppslab.testbed.backends import capabilities
from tests.support.stolen_machine import StolenMachine, StolenRouter, stand

FASTPATH = lab.find("fastpath")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The backends that were started: doubles, on which a testbed of doubles stands."""
    started: list[str] = []

    @contextmanager
    def opened(name: str, **_: object) -> Iterator[Any]:
        started.append(name)
        yield SimpleNamespace(name=name, facts={"kernel": "6.1"})

    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / "run"))
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(experiment, "open_backend", opened)
    monkeypatch.setattr(StolenRouter, "facts", lambda _: {}, raising=False)
    monkeypatch.setattr(
        capabilities, "choose", lambda *_: capabilities.Choice("namespaces", "as asked for")
    )
    monkeypatch.setattr(
        experiment.linux, "stand", lambda *_, **__: stand(FASTPATH, StolenMachine())
    )
    return started
