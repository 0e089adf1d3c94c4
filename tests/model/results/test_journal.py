"""Where a run is kept: a name of its own, a folder that was tried, trials as they come."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.model import results
from ppslab.model.results import journal
from ppslab.model.results.journal import Journal
from ppslab.model.results.storing import age_key
from tests.support.factory import make_record

NOW = datetime(2026, 11, 22, 10, 0, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "it's größer"
    monkeypatch.setenv("PPSLAB_RESULTS", str(place))
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "cache"))
    return place / "local"


def begin(when: datetime = NOW, **more: Any) -> Journal:
    return Journal.begin("fastpath", when, "namespaces", results.Record, **more)


def test_a_trial_is_in_the_file_as_soon_as_it_is_made(folder: Path) -> None:
    record = make_record()
    kept = begin()
    for trial in record.trials[:3]:
        kept.add(trial)
    (file,) = folder.iterdir()
    assert file.name == "fastpath-20261122T100000Z-namespaces.partial.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    read = [results.Trial.model_validate_json(line) for line in lines]
    assert read == list(record.trials[:3])
    path = kept.finish(record)
    assert [each.name for each in folder.iterdir()] == [path.name]
    assert results.load(path) == record


def test_one_that_is_stopped_while_it_begins_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(journal.processes, "boot_id", stopped)
    with pytest.raises(KeyboardInterrupt):
        begin()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("a-20260101T000000Z-vm.json", "a-20260102T000000Z-vm.json"),
        ("a-20260102T000000Z-vm.json", "a-20260101T000000Z-vm-2.json"),
        ("a-20260101T000000Z-vm-2.json", "a-20260101T000001Z-namespaces-2.json"),
        ("a-20260101T000000Z-vm-9.json", "a-20250101T000000Z-vm-10.aborted.json"),
    ],
)
def test_which_of_two_names_is_the_newer(older: str, newer: str) -> None:
    assert age_key(older) < age_key(newer)


def test_a_folder_without_room_is_found_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, 1 << 20))
    with pytest.raises(FileError, match="64 MB"):
        begin()
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_found_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del folder

    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError, match="Read-only file system; nothing was measured"):
        begin()


def test_a_folder_that_is_full_at_the_end_loses_no_measurement(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    record = make_record()
    kept = begin()
    os.close(kept._handle or 0)
    kept._handle = os.open("/dev/full", os.O_WRONLY)
    kept.add(record.trials[0])
    kept.add(record.trials[1])
    write = documents.write_atomic

    def full(path: Path, content: str) -> None:
        if path.parent == folder:
            raise FileError(path, None, "cannot be written: No space left on device")
        write(path, content)

    monkeypatch.setattr(documents, "write_atomic", full)
    with pytest.raises(FileError, match=r"No space left on device; the record is (.*): move it"):
        kept.finish(record)
    (saved,) = (tmp_path / "cache" / "records").iterdir()
    assert results.load(saved) == record


@pytest.mark.long
def test_what_a_killed_run_left_is_told_and_removed(folder: Path) -> None:
    script = (
        "import os\nfrom datetime import UTC, datetime\n"
        "from ppslab.model import results\n"
        "from ppslab.model.results.journal import Journal\n"
        "from tests.support.factory import make_record\n"
        "kept = Journal.begin('fastpath', datetime.now(UTC), 'vm', results.Record)\n"
        "for trial in make_record().trials[:5]: kept.add(trial)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False, cwd=Path(__file__).parents[3])
    living = begin()
    (folder / ".x.json.999999999-0123abcd").touch()
    (folder / f".y.json.{os.getpid()}-0123abcd").touch()
    assert len(list(folder.iterdir())) == 4
    (told,) = journal.sweep()
    assert "was killed on" in told and "after 5 trials" in told
    assert {each.name for each in folder.iterdir()} == {
        living.file.name,
        f".y.json.{os.getpid()}-0123abcd",
    }
    assert journal.sweep() == []
