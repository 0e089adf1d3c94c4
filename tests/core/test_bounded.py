"""What is read is an ordinary file of a bounded size; anything else is one message, at once."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from ppslab.core import documents
from ppslab.core.documents import bounded
from ppslab.core.errors import FileError
from ppslab.course.tasks import state
from ppslab.model.packet_path import export_files as export
from ppslab.model.planning.nics.inventories import lstopo
from ppslab.model.switch_chip import route_files, routes
from ppslab.model.tunnels.capture import read as read_capture
from tests.support import pace


@pytest.fixture
def made(tmp_path: Path) -> dict[str, Path]:
    os.mkfifo(tmp_path / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    listening.close()
    (tmp_path / "zero").symlink_to("/dev/zero")
    return {"a pipe": tmp_path / "pipe", "a socket": tmp_path / "socket",
            "a device": tmp_path / "zero", "a folder": tmp_path}  # fmt: skip


READERS = [
    documents.read_text, documents.load_yaml, documents.load_json, documents.read_csv,
    export.read, routes.read, lstopo.read, read_capture,
]  # fmt: skip


@pytest.mark.parametrize("read", READERS, ids=lambda read: f"{read.__module__}.{read.__name__}")
def test_no_device_no_pipe_no_socket(made: dict[str, Path], read) -> None:
    for kind, path in made.items():
        with pytest.raises(FileError, match=kind):
            read(path)


def read_so_far() -> int:
    """The bytes that this process has read, from files, pipes and all (proc_pid_io(5))."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["rchar"])


@pytest.mark.parametrize("read", READERS, ids=lambda read: f"{read.__module__}.{read.__name__}")
def test_a_file_of_gigabytes_is_refused_before_it_is_read(tmp_path: Path, read) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(4_000_000_000)  # a hole: no byte of it is on the disk
    before = read_so_far()
    with pytest.raises(FileError, match="bytes"):
        read(huge)
    assert read_so_far() - before < 200_000_000


@pytest.mark.parametrize("read", READERS, ids=lambda read: f"{read.__module__}.{read.__name__}")
def test_a_file_without_an_end_does_not_make_us_wait(
    made: dict[str, Path], monkeypatch: pytest.MonkeyPatch, read
) -> None:
    """As /proc/kmsg: an ordinary file by its kind, and a read of it waits."""
    kept = os.open(made["a pipe"], os.O_RDWR)  # a pipe to which somebody may write more
    os.write(kept, b"a line\n")
    monkeypatch.setattr(bounded, "_refuse_others", lambda *_: None)
    try:
        with pytest.raises(FileError):
            read(made["a pipe"])
    finally:
        os.close(kept)


def test_a_file_that_grows_is_cut_by_the_bound(tmp_path: Path) -> None:
    assert bounded.read_bytes(Path("/proc/self/status"))  # whose size is 0
    with pytest.raises(FileError, match="10 bytes"):
        bounded.read_bytes(Path("/proc/self/status"), 10)


@pytest.mark.parametrize("name", ["a" * 100_000, "a\0b"])
def test_a_name_that_no_file_can_have_is_a_short_message(name: str) -> None:
    with pytest.raises(FileError) as caught:
        documents.read_text(name)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", "[" * 100_000, "nested"),
        ("x.json", "[" * 200 + "]" * 200, "64"),
        ("x.yml", "[" * 100_000, "nested"),
        ("x.yml", "[" * 100 + "]" * 100, "64"),
        ("x.json", '{"a":\n "\\ud800"}', "x.json:2: \\ud800"),
        ("x.yml", 'b: 1\na: "\\udfff"\n', "x.yml:2: "),
    ],
)
def test_what_cannot_be_handled_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        (documents.load_json if name.endswith("json") else documents.load_yaml)(path)
    assert said in str(caught.value)


def test_whole_characters_written_as_halves_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('\ufeff{"a": "\\ud83d\\ude00"}', encoding="utf-8")  # and a byte order mark
    assert documents.load_json(path).data == {"a": "\U0001f600"}
    path.write_text(json.dumps({"a": "\\ud800"}))  # the six letters, not the character
    assert documents.load_json(path).data == {"a": "\\ud800"}


def test_merges_that_double_themselves_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 {x: 1}"]
    for n in range(1, 30):
        names = ", ".join([f"*a{n - 1}"] * 10)
        lines.append(f"a{n}: &a{n} {{<<: [{names}], y{n}: 1}}")
    path = tmp_path / "x.yml"
    path.write_text("\n".join(lines) + "\n")

    def read() -> None:
        with pytest.raises(FileError, match="merges"):
            documents.load_yaml(path)

    pace.assert_within(100, read)  # It takes 2; each merge done would be 10 to the 30th.


def test_the_depth_of_data() -> None:
    assert [bounded.depth(data) for data in (1, [], [1, {}], {"a": [[2]]})] == [0, 1, 2, 3]


def test_brackets_of_an_export_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "x.rsc"
    path.write_text("/ip\n" * 50_000 + "add a=1 " + "[" * 100_000 + "{" * 100_000 + "\n")
    assert [line.properties for line in export.read(path)] == [{"a": "1"}]
    pace.assert_within(100, lambda: list(export.read(path)))  # It takes 12.
    path.write_text('/ip address\nset [ find default-name=ether1 ] x="a b" y={ 1; 2 }\n')
    (line,) = export.read(path)
    assert (line.find, line.properties) == (
        "[ find default-name=ether1 ]", {"x": "a b", "y": "{ 1; 2 }"}
    )  # fmt: skip


def test_a_list_of_routes_has_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "x.routes"
    path.write_text("198.18.0.0/30 via 198.18.0.1\n" * (route_files.MOST_LINES + 1))
    with pytest.raises(FileError, match="routes"):
        routes.read(path)


def test_a_list_of_tasks_is_read_as_it_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    kept = state.State(
        "fastpath", "linux", at="x", done={"a": "2026"}, solved=["a"], hints={"a": 1}
    )
    kept.save()
    assert state.load("fastpath", "linux") == kept


@pytest.mark.parametrize(
    "text", ["[1]", "{}", '{"ppslab-tasks": 1, "done": {"x": 5}}', "[" * 5000, "\ufeffx"]
)
def test_a_strange_list_of_tasks_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = state.State("fastpath", "linux").path
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="tasks"):
        state.load("fastpath", "linux")
