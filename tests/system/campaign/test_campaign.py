"""A short part of the campaign: two spoiled files of every kind, each with its own command.

The whole of it is `python -m tests.system.campaign`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.campaign import mutations, running
from tests.system.campaign.samples import SAMPLES

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    running.prepare()


@pytest.mark.parametrize("number", range(2 * len(SAMPLES)))
def test_a_spoiled_file_is_one_message(tmp_path: Path, number: int) -> None:
    outcome = running.run(number, 1, tmp_path)
    # How long it takes says nothing where other tests run beside it: the whole campaign does.
    assert set(outcome.faults) <= {"slow"}, f"{outcome}\n{outcome.shown[-3000:]}"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.words[0]}-{sample.name}")
def test_what_is_spoiled_was_good(tmp_path: Path, sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command takes the file as it is, so that a refusal is the mutation's."""
    monkeypatch.setattr(running, "spoiled", lambda good, _: (good, "nothing"))
    monkeypatch.setattr(running, "NAMES", ("",))
    monkeypatch.setattr(running.random.Random, "random", lambda _: 0.5)
    outcome = running.run(SAMPLES.index(sample), 1, tmp_path)
    assert outcome.code == 0 and not set(outcome.faults) - {"slow"}, outcome.shown[-3000:]


def test_a_number_is_the_same_bytes_for_ever() -> None:
    drawn = [mutations.spoiled(b"a: 1\n", running.random.Random("1/7")) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len({mutations.spoiled(b"a: 1\nb: 2\n", running.random.Random(f"1/{n}"))[0]
                for n in range(50)}) > 30  # fmt: skip


@pytest.mark.long
def test_the_campaign_sees_what_it_looks_for(tmp_path: Path, monkeypatch) -> None:
    """A command with each fault is caught."""
    from ppslab import cli

    def broken() -> None:
        running.os.write(1, b"\x1b[2J\n")
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(cli, "main", broken)
    assert set(running.run(0, 1, tmp_path).faults) == {"traceback", "escape"}

    def wasteful() -> None:
        bytes(bytearray(600_000_000))
        while sum(range(100_000)) and running.resource.getrusage(0).ru_utime < 5.5:
            pass

    monkeypatch.setattr(cli, "main", wasteful)
    assert set(running.run(31, 1, tmp_path).faults) == {"slow", "large"}
