"""A short part of the campaign: two spoiled files of every kind, each with its own command.

PPSLAB_CAMPAIGN=1240 makes it as long; how long an input takes is asserted only then.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.system import campaign
from tests.system.campaign.samples import SAMPLES

pytestmark = pytest.mark.long

INPUTS = int(os.environ.get("PPSLAB_CAMPAIGN", "0"))


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    campaign.prepare()


@pytest.mark.parametrize("number", range(INPUTS or 2 * len(SAMPLES)))
def test_a_spoiled_file_is_one_message(tmp_path: Path, number: int) -> None:
    outcome = campaign.run(number, 1, tmp_path)
    # How long it takes says nothing where other tests run beside it.
    assert set(outcome.faults) <= (set() if INPUTS else {"slow"}), (
        f"{outcome}\n{outcome.shown[-3000:]}"
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.words[0]}-{sample.name}")
def test_what_is_spoiled_was_good(tmp_path: Path, sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command takes the file as it is, so that a refusal is the mutation's."""
    monkeypatch.setattr(campaign, "spoiled", lambda good, _: (good, "nothing"))
    monkeypatch.setattr(campaign, "NAMES", ("",))
    monkeypatch.setattr(campaign.random.Random, "random", lambda _: 0.5)
    outcome = campaign.run(SAMPLES.index(sample), 1, tmp_path)
    assert outcome.code == 0 and not set(outcome.faults) - {"slow"}, outcome.shown[-3000:]
