"""Two suites on one machine do not take each other's folders."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.suite import kept, world

ROOT = Path(__file__).resolve().parents[4]


def test_two_runs_of_a_commit_that_begin_at_once_have_a_folder_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr(kept, "commit", lambda _: "a-commit")
    runs = [kept.folder(ROOT) for _ in range(3)]
    assert sorted(tmp_path.glob("tests/a-commit/*")) == runs, "each has its own, in their order"


def test_a_folder_that_another_has_just_swept_is_no_error(tmp_path: Path) -> None:
    """It was there when the folder was listed, and is not when it is opened."""
    (tmp_path / f"{world.TEMPORARY}gone").symlink_to(tmp_path / "nowhere")
    assert world.sweep(tmp_path) == []


@pytest.mark.parametrize("moment", ["open", "flock"])
def test_a_folder_that_is_swept_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module = world.os if moment == "open" else world.fcntl
    whole = getattr(module, moment)
    swept: list[Path] = []

    def late(*words: object, **named: object) -> object:
        if not swept:
            swept.extend(tmp_path.iterdir())
            shutil.rmtree(swept[0])
        return whole(*words, **named)

    with monkeypatch.context() as patch:
        patch.setattr(module, moment, late)
        made = world.temporary()
    with made as folder:
        assert swept and Path(folder) not in swept
        assert world.sweep(tmp_path) == [], "it is locked"
        assert list(tmp_path.iterdir()) == [Path(folder)]
