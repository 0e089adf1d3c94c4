"""A stranger's record: record_of_issue checks it, the workflow record answers."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ppslab.model import results
from scripts.records import record_of_issue
from tests.support.factory import make_record

ROUTER = {"name": "routeros", "cannot_show": "no switch chip"}
FILE = "https://github.com/user-attachments/files/12345/record.json"


@pytest.fixture(autouse=True)
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """results/sent of a checkout of its own."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results" / results.SENT


def text_of(**changes: Any) -> bytes:
    """A record of a CHR with some fields changed."""
    record = make_record(rounds=2).model_copy(update={"router": ROUTER, **changes})
    return record.model_dump_json(by_alias=True).encode()


EARLY = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
WEST = timezone(timedelta(hours=-12))


def broken(method: int) -> bytes:
    """A zip whose index is whole and whose member's data is not what it was packed as."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("a.json", b"{}" * 9999)
    data = bytearray(made.getvalue())
    start = 30 + len("a.json") + (9 if method == zipfile.ZIP_LZMA else 2)
    data[start : start + 8] = b"\xff\x00\xff\xa5" * 2
    return bytes(data)


@pytest.fixture
def take(tmp_path: Path) -> Callable[[bytes], Path]:
    def take(data: bytes) -> Path:
        (tmp_path / "came").write_bytes(data)
        made: Path = record_of_issue.take(tmp_path / "came", 42, tmp_path / "out")
        return made

    return take


@pytest.fixture
def refusal(take: Any, tmp_path: Path) -> Callable[[bytes], str]:
    def refusal(data: bytes) -> str:
        with pytest.raises(record_of_issue.RefusedError) as caught:
            take(data)
        assert not (tmp_path / "out").exists(), "what was refused leaves nothing"
        return str(caught.value)

    return refusal


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


# --- which file -------------------------------------------------------------------------------


def event(folder: Path, body: Any) -> Path:
    path = folder / "event.json"
    path.write_text(json.dumps({"action": "opened", "issue": {"number": 42, "body": body}}))
    return path


@pytest.mark.parametrize(
    "body",
    [
        f"### Record\n\n[record.json]({FILE})\n",
        f"{FILE} {FILE}",
        f"<a href='{FILE}'>",
        f"{FILE};$(id)`id`",
    ],
)
def test_the_address_of_the_file_is_found(tmp_path: Path, body: str) -> None:
    assert record_of_issue.link(event(tmp_path, body)) == FILE


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("no file", "carries no file"),
        (None, "carries no file"),
        ("https://github.com.example/user-attachments/files/1/a.json", "carries no file"),
        ("http://github.com/user-attachments/files/1/a.json", "carries no file"),
        (f"{FILE} {FILE}.zip", "carries 2 files"),
    ],
)
def test_no_file_or_two_are_refused(tmp_path: Path, body: str | None, said: str) -> None:
    with pytest.raises(record_of_issue.RefusedError, match=said):
        record_of_issue.link(event(tmp_path, body))


# --- what is in it ----------------------------------------------------------------------------


def test_a_record_is_written_anew_under_a_name_of_ours(take: Any, tmp_path: Path) -> None:
    path = take(text_of())
    record = results.load(path)
    assert record.router == ROUTER
    expected = results.sent_path(record.lab, record.started, record.backend).name
    assert path == tmp_path / "out" / expected
    said = (tmp_path / "out/said.md").read_text()
    assert "#42 carries" in said and f"{len(record.trials)}, of which" in said
    assert "| what it cannot show | no switch chip |" in said


def test_a_zip_of_one_record_will_do(take: Any) -> None:
    data = text_of()
    assert results.load(take(zipped(**{"../../evil.json": data, "readme.txt": b"x"})))


def newer_run_here(folder: Path) -> None:
    """A run of the same lab and backend, made here after the one that is sent."""
    newer = make_record(rounds=2)
    later = newer.started + timedelta(days=1)
    results.save(newer, folder / f"fastpath-{later:%Y%m%dT%H%M%SZ}-{newer.backend}.json")


@pytest.mark.parametrize("newer", [False, True], ids=["alone", "a newer run here"])
def test_a_sent_record_is_taken_once(
    take: Any, refusal: Any, sent: Path, tmp_path: Path, newer: bool
) -> None:
    path = take(text_of())
    sent.mkdir(parents=True)
    path.rename(sent / path.name)
    if newer:
        newer_run_here(sent.parent)
    (tmp_path / "out/said.md").unlink()
    (tmp_path / "out").rmdir()
    assert "sent before" in refusal(text_of())


def test_a_strangers_words_become_plain_words(take: Any, tmp_path: Path) -> None:
    evil = "@everyone | <img src=x> `x` [a](http://b) #1\n## heading"
    take(text_of(router={**ROUTER, "cannot_show": evil}, environment={"cpu": evil}))
    table = (tmp_path / "out/said.md").read_text()
    assert not set("@<`[") & set(table.replace("`ppslab validate`", ""))
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 3 for line in rows)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"hello", "no record. Line 1: not JSON"),
        (b"", "the file is empty"),
        (b"\xff\xfe\x00", "no record"),
        (b"[" * 100_000, "no record"),
        (b'{"schema": "ppslab/other/1"}', "schema is"),
        (b'{"schema": "ppslab/record/2"}', "no record"),
        (text_of(lab="nosuch@lab"), "is no lab's name"),
        (text_of(backend="../../x"), "no backend"),
        (text_of(state="aborted"), "stopped before its end"),
        (text_of(router={"name": "linux", "cannot_show": ""}), "not RouterOS"),
        (text_of(started=datetime.now(UTC) + timedelta(days=3)), "from the future"),
        (text_of(started=datetime(2026, 1, 2, 3, 4, 5)), "should have timezone"),
        (text_of(started=EARLY), "no year that can be"),
        (text_of(finished=datetime(9999, 12, 31, 23, 59, tzinfo=WEST)), "no year that can be"),
        (text_of(finished=datetime(2026, 1, 1, tzinfo=UTC)), "ended before it began"),
        (text_of().replace(b'"title":"', b'"title":"\\ud800', 1), "half of a character"),
        (text_of().replace(b'"seed":', b'"seed":1e30,"x":', 1), "no record"),
        (broken(zipfile.ZIP_DEFLATED), "damaged"),
        (broken(zipfile.ZIP_LZMA), "damaged"),
        (broken(zipfile.ZIP_BZIP2), "damaged"),
        (b'{"more": 1,' + text_of()[1:], "no record"),
        (zipped(), "0 files"),
        (zipped(**{"a.json": b"{}", "b.json": b"{}"}), "2 files"),
        (zipped(**{"a.json": b"0" * 30_000_000}), "more than 10 million"),
        (zipped(**{"a.json": b"{}" * 999})[:-90] + b"x" * 90, "no record"),
    ],
    ids=range(25),
)
def test_what_is_no_record_of_routeros_is_refused(refusal: Any, data: bytes, said: str) -> None:
    assert said in refusal(data)


def test_a_refusal_quotes_strangers_in_a_block() -> None:
    shown = record_of_issue.fenced("line ``` @all\n" + "x" * 1000 + "\x1b[0m\n" * 40)
    assert shown.startswith("```text\n") and shown.endswith("\n```")
    assert shown.count("```") == 2 and "\x1b" not in shown
    assert len(shown.splitlines()) == 22 and max(map(len, shown.splitlines())) == 300
