"""ppslab.open() in a browser: guesses, and what it refuses in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import PpslabError
from ppslab.core.text.tables import Table
from ppslab.course.site import browser
from ppslab.course.site.browser import measuring
from ppslab.model import simulated

pytestmark = pytest.mark.browser


@pytest.fixture
def lab(documents: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PPSLAB_RECORDED", str(documents))
    return browser.open_lab("fastpath")


def test_a_guess_stands_beside_the_result(lab: Any) -> None:
    lab.predict(routing_fast_path=0.5)
    table = lab.run().prediction()
    assert isinstance(table, Table)
    guesses = {row[0].text: row[1].text for row in table.rows}
    assert guesses.pop("routing-fast-path") == "0.5"
    assert set(guesses.values()) == {"-"}
    assert all("[" in row[2].text for row in table.rows), "each has a measured interval"


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda lab: browser.open_lab("fastpth"), "fastpath"),
        (lambda lab: lab.run(["routing-fastpath"]), "routing-fast-path"),
        (lambda lab: lab.run(["routing-plain"]), "ppslab run fastpath"),
        (lambda lab: lab.run(backend="vm"), "ppslab run fastpath --backend vm"),
        (lambda lab: lab.run().figure("cost"), "costs"),
        (lambda lab: lab.run().record, "results/"),
        (lambda lab: lab.published("nobody"), "nobody"),
        (lambda lab: lab.on_your_chr("no-such"), "no-such"),
        (lambda lab: measuring.compare(lambda seed: simulated.HardLimit(1.0)), "loss spikes"),
        (lambda lab: measuring.break_it("late-tester"), "ppslab break fastpath"),
        (lambda lab: measuring.break_it().table({"late-testr": "missed"}), "late-tester"),
    ],
)
def test_what_it_has_not_is_refused_in_words(lab: Any, ask: Any, says: str) -> None:
    with pytest.raises(PpslabError) as refused:
        ask(lab)
    assert says in str(refused.value)
