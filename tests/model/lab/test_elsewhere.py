"""What others measured: the figures that are made of it, and what a wrong file is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model.lab import elsewhere, lab


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A lab's folder, to be spoilt."""
    folder = tmp_path / "labs" / "fastpath"
    shutil.copytree(lab.find("fastpath").folder, folder)
    shutil.copytree(lab.find("fastpath").folder.parents[1] / "topologies", tmp_path / "topologies")
    return folder


def test_figures_are_made_of_what_the_source_prints() -> None:
    said = elsewhere.load(lab.find("fastpath"))
    assert said is not None
    values = {result.id: result.value for result in said.results}
    # 9 038 093 597 instructions in the second of 5 767 181 packets.
    assert values["instructions-of-bpf-forwarding"] == pytest.approx(1567.16, abs=0.01)
    # 186.6 ns against 574.8 ns.
    assert values["bpf-forwarding-against-routing"] == pytest.approx(0.32471, abs=1e-5)
    # (549.6 - 301.2) ns of 574.8 ns.
    assert values["what-connection-tracking-adds"] == pytest.approx(0.43213, abs=1e-5)


def test_a_lab_without_the_file_has_nothing_beside_it() -> None:
    assert elsewhere.load(lab.find("eoip")) is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("source: xdp-paper", "source: xdp-papers", "no source 'xdp-papers' (did you mean"),
        (
            "routing-fast-path}",
            "routing-fastpath}",
            'did you mean "routing-fast-path"',
        ),
        ("above_pps: 5357696", "above_pps: 0", "greater than 0"),
        (", reference: routing-plain}", "}", "a ratio and a part have one"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(copied: Path, old: str, new: str, message: str) -> None:
    path = copied / elsewhere.FILE
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError, match=r"elsewhere\.yml:\d+: ") as failure:
        elsewhere.load(lab.load(copied))
    assert message in str(failure.value)
