"""A file that is no record is told where it is asked for; every other document is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.course.site.lite import recorded
from tests.system.labs.checkouts import with_a_broken_lab


@pytest.mark.long
@pytest.mark.parametrize(("kind", "method"), [("", "runs"), ("tcp-", "tcp")])
def test_a_lab_whose_newest_file_is_no_json_says_so(
    kind: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    asked_by = paths.project_root() / "notebooks/fastpath.ipynb"
    without = recorded.lab("fastpath", asked_by)
    broken = tmp_path / f"local/{kind}fastpath-20261121T000000Z-vm.json"
    broken.parent.mkdir()
    broken.write_text('{"schema": ')
    found = recorded.lab("fastpath", asked_by)
    for run, before in zip(found[method], without[method], strict=True):
        assert run.keys() == before.keys()
        for part in ("figures", "tables"):
            assert run[part].keys() == before[part].keys()
        said = [*run["tables"].values(), run["summary"], run["claims"]]
        assert all(f"{broken}:1: not JSON" in each["refused"] for each in said)
    others = found.keys() - {method}
    assert {key: found[key] for key in others} == {key: without[key] for key in others}


def test_a_lab_of_which_a_file_is_wrong_has_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Be it the lab that others ask too: what they ask of it is refused with the reason."""
    with_a_broken_lab(tmp_path, monkeypatch, broken="fastpath")
    monkeypatch.setattr(recorded, "EXAMPLES", ())
    monkeypatch.setattr(recorded, "lab", lambda name, _: {"name": name})
    written = recorded.write(tmp_path / "out", tmp_path / "notebooks")
    assert [path.name for path in written] == ["eoip.json", "measuring.json"]
    measuring = json.loads(written[-1].read_text())
    assert "labs/fastpath/lab.yml:2: not YAML" in measuring["published_meters"]["dut"]["refused"]
