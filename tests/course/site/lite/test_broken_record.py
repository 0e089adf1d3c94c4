"""A file that is no record is told where it is asked for; every other document is made."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import UsageError
from ppslab.course.site.browser import Recorded
from ppslab.course.site.lite import recorded
from tests.system.labs.checkouts import with_a_broken_lab


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
    measuring = pickle.loads(written[-1].read_bytes())
    with pytest.raises(UsageError, match=r"labs/fastpath/lab\.yml:2: not YAML"):
        measuring.published_meters("dut")
