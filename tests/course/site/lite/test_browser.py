"""ppslab.open() in a browser: guesses, what it refuses in words, what wrong files make of it."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import paths
from ppslab.core.errors import PpslabError, UsageError
from ppslab.core.text.tables import Table
from ppslab.course.site import browser
from ppslab.course.site.browser import Recorded, measuring
from ppslab.course.site.lite import recorded
from ppslab.model import simulated
from tests.system.labs.checkouts import with_a_broken_lab


@pytest.fixture
def lab(documents: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PPSLAB_RECORDED", str(documents))
    return browser.open_lab("fastpath")


@pytest.mark.browser
def test_a_guess_stands_beside_the_result(lab: Any) -> None:
    lab.predict(routing_fast_path=0.5)
    table = lab.run().prediction()
    assert isinstance(table, Table)
    guesses = {row[0].text: row[1].text for row in table.rows}
    assert guesses.pop("routing-fast-path") == "0.5"
    assert set(guesses.values()) == {"-"}
    assert all("[" in row[2].text for row in table.rows), "each has a measured interval"


@pytest.mark.browser
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


@pytest.mark.long
@pytest.mark.parametrize(("kind", "method"), [("", "run"), ("tcp-", "tcp")])
def test_a_lab_whose_newest_file_is_no_json_says_so(
    kind: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    asked_by = paths.project_root() / "notebooks/fastpath.ipynb"
    without = recorded.lab("fastpath", asked_by)
    broken = tmp_path / f"local/{kind}fastpath-20261121T000000Z-vm.json"
    broken.parent.mkdir()
    broken.write_text('{"schema": ')
    lab = recorded.lab("fastpath", asked_by)
    with pytest.raises(UsageError, match=re.escape(f"{broken}:1: not JSON")):
        getattr(lab, method)()
    shown = [
        [repr(answer) for name, part in each.parts.items() if name != method
         for _, answer in part.answers]
        for each in (lab, without)
    ]  # fmt: skip
    assert shown[0] == shown[1]


def test_a_lab_of_which_a_file_is_wrong_has_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Be it the lab that others ask too: what they ask of it is refused with the reason."""
    with_a_broken_lab(tmp_path, monkeypatch, broken="fastpath")
    monkeypatch.setattr(recorded, "SEARCHED", ())
    monkeypatch.setattr(recorded, "lab", lambda name, _: Recorded(name, {}))
    written = recorded.write(tmp_path / "out", tmp_path / "notebooks")
    assert [path.name for path in written] == ["eoip.pickle", "measuring.pickle"]
    chapter = pickle.loads(written[-1].read_bytes())
    with pytest.raises(UsageError, match=r"labs/fastpath/lab\.yml:2: not YAML"):
        chapter.published_meters("dut")
