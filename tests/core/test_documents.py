"""Bad input gets one message with file and line; files are ordinary, bounded, written whole."""

from __future__ import annotations

import json
import os
import socket
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator

from ppslab.core import documents
from ppslab.core.documents import (
    disk,
    load_json,
    load_yaml,
    read_csv,
    read_table,
    write_atomic,
    write_json,
)
from ppslab.core.documents.fitting import validate
from ppslab.core.errors import FileError
from ppslab.course.tasks import state
from ppslab.model.packet_path import export_files as export
from ppslab.model.planning.nics import lstopo
from ppslab.model.switch_chip import routes


def written(folder: Path, text: str | bytes, name: str = "lab.yml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaint(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        load_yaml(path)
    return str(caught.value).removeprefix(str(path))


class TestYaml:
    def test_lines(self, tmp_path: Path) -> None:
        path = written(
            tmp_path, "title: A\n\nports:\n  p1: eth1\n  p2: eth2\nsizes:\n  - 64\n  - 512\n"
        )
        document = load_yaml(path)
        assert document.data == {
            "title": "A",
            "ports": {"p1": "eth1", "p2": "eth2"},
            "sizes": [64, 512],
        }
        assert document.line("title") == 1
        assert document.line("ports", "p2") == 5
        assert document.line("sizes", 1) == 8
        assert document.line("ports", "p9") == 3, "what is not there has the line of what holds it"
        assert document.line("nothing") == 1

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("12:00:06:12:01:02", "12:00:06:12:01:02"),  # YAML 1.1: a number in base sixty
            ("2026-01-01", "2026-01-01"),
            ("on", "on"),
            ("no", "no"),
            ("010", "010"),
            ("1_000", "1_000"),
            ("-7", -7),
            ("0x50", 80),
            ("0.5", 0.5),
            ("1e6", 1e6),
            ("true", True),
            ("~", None),
            (".nan", ".nan"),
            ('"64"', "64"),
        ],
    )
    def test_core_schema(self, tmp_path: Path, text: str, value: Any) -> None:
        data = load_yaml(written(tmp_path, f"v: {text}\n")).data
        assert data == {"v": value}
        assert type(data["v"]) is type(value)

    def test_anchors_and_merges(self, tmp_path: Path) -> None:
        path = written(tmp_path, "a: &a {x: 1, y: 2}\nb: &b\n  <<: *a\n  y: 3\nc: *b\n")
        document = load_yaml(path)
        assert document.data["b"] == document.data["c"] == {"x": 1, "y": 3}
        assert document.line("b", "y") == 4

    def test_a_letter_of_no_text_has_its_line(self, tmp_path: Path) -> None:
        with pytest.raises(FileError) as caught:
            load_yaml(written(tmp_path, b"a: 1\nb: \xff\n"))
        assert caught.value.line == 2

    @pytest.mark.long
    def test_laughs(self, tmp_path: Path) -> None:
        rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
        assert "too large" in complaint(written(tmp_path, "\n".join(rows)))

    def test_no_file(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.yml", tmp_path):
            with pytest.raises(FileError):
                load_yaml(path)

    @given(st.binary(max_size=200))
    def test_never_a_traceback(self, tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
        path = written(tmp_path_factory.getbasetemp(), raw, "any.yml")
        for load in (load_yaml, load_json, read_csv):
            try:
                load(path)
            except FileError as error:
                assert str(path) in str(error)


class TestJson:
    def test_lines_are_found_when_asked(self, tmp_path: Path) -> None:
        path = written(tmp_path, '{\n "q\\"]": [\n  {"size": 64},\n  {"size": 512}\n ]\n}\n')
        document = load_json(path)
        assert document.data['q"]'][1] == {"size": 512}
        assert document.line('q"]', 1, "size") == 4
        assert document.line('q"]', 2) == 2, "what is not there has the line of what holds it"
        path.write_text('{\n"a":\n"\x7f"}')
        assert load_json(path).line("a") == 1, "a letter that YAML does not allow"


@dataclass(frozen=True)
class Chip:
    name: str
    routes: int
    ways: int | None
    gbits: float = 0.0
    vrf: bool = False
    devices: tuple[str, ...] = ()


class TestTable:
    HEADER = "chip,routes,ways,gbits,vrf,devices\n"

    def table(self, tmp_path: Path, rows: str) -> list[Chip]:
        path = written(tmp_path, self.HEADER + rows, "chips.csv")
        return read_table(path, Chip, unique=["chip"], name="chip")

    def test_a_field_says_how_its_cell_is_read(self, tmp_path: Path) -> None:
        assert self.table(tmp_path, "a,1,,2.5,yes,CRS1 CRS2\nb,2,3,10,no,\n") == [
            Chip("a", 1, None, 2.5, True, ("CRS1", "CRS2")),
            Chip("b", 2, 3, 10.0, False, ()),
        ]


class TestCsv:
    def test_rows_know_their_lines(self, tmp_path: Path) -> None:
        path = written(tmp_path, 'id,pps\nfast,"1170641"\n\n"two\nlines",516513\nlast,1\n', "p.csv")
        rows = read_csv(path, ["id", "pps"])
        assert [(row.line, row["id"], row["pps"]) for row in rows] == [
            (2, "fast", "1170641"),
            (4, "two\nlines", "516513"),
            (6, "last", "1"),
        ]
        assert str(rows[0].error("no such condition")) == f"{path}:2: no such condition"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Match(Strict):
    name: str
    kind: Literal["linux", "routeros"] = "linux"
    tx_name: str = Field(default="p1", alias="tx-name")


class Shelf(Strict):
    title: str
    size: int = 64
    flows: dict[str, list[Match]] = {}
    other: str | Match | None = None

    @field_validator("title")
    @classmethod
    def short(cls, title: str) -> str:
        if len(title) > 20:
            raise ValueError("longer than 20 characters")
        return title


class Pair(BaseModel):
    names: Annotated[tuple[str, ...], Field(min_length=2)]


class TestValidate:
    def test_fits(self, tmp_path: Path) -> None:
        path = written(tmp_path, "title: T\nflows:\n  r:\n    - {name: a, tx-name: p2}\n")
        assert validate(load_yaml(path), Shelf).flows["r"][0].tx_name == "p2"

    def test_several_in_the_order_of_the_file(self, tmp_path: Path) -> None:
        path = written(tmp_path, "titel: T\nsize: x\n")
        with pytest.raises(FileError) as caught:
            validate(load_yaml(path), Shelf)
        lines = str(caught.value).splitlines()
        assert [line.split(":")[1] for line in lines] == ["1", "2"]

    def test_a_list_that_is_too_short_says_how_many_it_needs(self, tmp_path: Path) -> None:
        path = written(tmp_path, "names: [a]\n")
        with pytest.raises(FileError, match=r":1: names: at least 2, not 1$"):
            validate(load_yaml(path), Pair)

    def test_an_item_that_does_not_fit_is_told_alone(self, tmp_path: Path) -> None:
        path = written(tmp_path, "names:\n  - a\n  - 1\n")
        with pytest.raises(FileError) as caught:
            validate(load_yaml(path), Pair)
        assert caught.value.line == 3
        assert len(str(caught.value).splitlines()) == 1

    def test_the_place_in_words(self, tmp_path: Path) -> None:
        path = written(tmp_path, "title: T\nflows:\n  r:\n    - {name: a, kind: x}\n")
        with pytest.raises(FileError, match=r":4: flow r 0: unknown kind"):
            validate(load_yaml(path), Shelf, place=lambda keys: f"flow {keys[1]} {keys[2]}")


class TestWriting:
    def test_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "results" / "run.json"
        write_json(path, {"köln": [1, 2.5, None]})
        assert json.loads(path.read_text()) == {"köln": [1, 2.5, None]}
        write_atomic(path, "second\r\n")
        assert path.read_bytes() == b"second\r\n"
        assert [p.name for p in path.parent.iterdir()] == ["run.json"]
        umask = os.umask(0)
        os.umask(umask)
        assert path.stat().st_mode & 0o777 == 0o666 & ~umask

    def test_what_is_private_is_never_readable_to_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        modes = []
        sync = os.fsync

        def looked(handle: int) -> None:
            modes.extend(p.stat().st_mode & 0o777 for p in tmp_path.iterdir())
            sync(handle)

        monkeypatch.setattr(os, "fsync", looked)
        umask = os.umask(0)
        try:
            write_json(tmp_path / "seat.json", {"token": "x"}, private=True)
        finally:
            os.umask(umask)
        assert modes == [0o600, 0o600]

    def test_a_failure_leaves_the_old(self, tmp_path: Path) -> None:
        path = tmp_path / "run.json"
        write_atomic(path, "old")
        with pytest.raises(UnicodeEncodeError):
            write_atomic(path, "new \udc80")
        with pytest.raises(ValueError, match="JSON"):
            write_json(path, float("nan"))
        assert path.read_text() == "old"
        assert [p.name for p in tmp_path.iterdir()] == ["run.json"]

    @pytest.mark.parametrize("kind", ["a pipe", "a socket", "a device"])
    def test_what_is_no_file_stays_in_its_place(self, tmp_path: Path, kind: str) -> None:
        """As root, `--html /dev/full` put a file in the device's place."""
        path = tmp_path / "there"
        with closing(socket.socket(socket.AF_UNIX)) as listening:
            if kind == "a pipe":
                os.mkfifo(path)
            elif kind == "a socket":
                listening.bind(str(path))
            else:
                path.symlink_to("/dev/full")  # a device of our own only root may make
            before = path.lstat()
            for write in (write_atomic, write_json):
                with pytest.raises(FileError, match=kind):
                    write(path, "x")
            assert path.lstat().st_ino == before.st_ino
        assert [each.name for each in tmp_path.iterdir()] == ["there"]

    def test_a_link_to_a_file_and_a_new_name_are_written(self, tmp_path: Path) -> None:
        (tmp_path / "old").write_text("old")
        for name, leads in (("link", "old"), ("dangling", "nowhere")):
            (tmp_path / name).symlink_to(leads)
            write_atomic(tmp_path / name, "new")
            assert (tmp_path / name).read_text() == "new"

    def test_no_place(self, tmp_path: Path) -> None:
        write_atomic(tmp_path / "file", "x")
        with pytest.raises(FileError, match="cannot be written"):
            write_atomic(tmp_path / "file" / "below", "x")
        with pytest.raises(FileError, match="cannot be written"):
            write_atomic(tmp_path, "x")


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
    export.read, routes.read, lstopo.read,
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
    monkeypatch.setattr(disk, "_refuse_others", lambda *_: None)
    try:
        with pytest.raises(FileError):
            read(made["a pipe"])
    finally:
        os.close(kept)


def test_a_file_that_grows_is_cut_by_the_bound(tmp_path: Path) -> None:
    assert disk.read_bytes(Path("/proc/self/status"))  # whose size is 0
    with pytest.raises(FileError, match="10 bytes"):
        disk.read_bytes(Path("/proc/self/status"), 10)


@pytest.mark.parametrize("name", ["a" * 100_000, "a\0b"])
def test_a_name_that_no_file_can_have_is_a_short_message(name: str) -> None:
    with pytest.raises(FileError) as caught:
        documents.read_text(name)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", "[" * 100_000, "nested"),
        ("x.yml", "[" * 100_000, "nested"),
        ("x.json", '{"a":\n "\\ud800"}', "x.json:2: \\ud800"),
    ],
)
def test_what_cannot_be_handled_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        (documents.load_json if name.endswith("json") else documents.load_yaml)(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["x.json", "x.yml"])
def test_sixty_four_levels_are_read_and_one_more_is_not(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    load = documents.load_json if name.endswith("json") else documents.load_yaml
    path.write_text("[" * 64 + "1" + "]" * 64)
    assert disk.depth(load(path).data) == disk.DEPTH == 64
    path.write_text("[" * 65 + "1" + "]" * 65)
    with pytest.raises(FileError, match="64"):
        load(path)


def test_whole_characters_written_as_halves_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('\ufeff{"a": "\\ud83d\\ude00"}', encoding="utf-8")  # and a byte order mark
    assert documents.load_json(path).data == {"a": "\U0001f600"}
    path.write_text(json.dumps({"a": "\\ud800"}))  # the six letters, not the character
    assert documents.load_json(path).data == {"a": "\\ud800"}


def test_a_list_of_tasks_is_read_as_it_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    kept = state.State("fastpath", at="x", done={"a": "2026"}, solved=["a"], hints={"a": 1})
    kept.save()
    assert state.load("fastpath") == kept
    # The first files named a variant as well.
    fields = json.loads(kept.path.read_text())
    kept.path.write_text(json.dumps({**fields, "variant": "linux"}))
    assert state.load("fastpath") == kept
    assert [(lab, task) for lab, task, _ in state.finished()] == [("fastpath", "a")]


@pytest.mark.parametrize(
    "text", ["[1]", "{}", '{"ppslab-tasks": 1, "done": {"x": 5}}', "[" * 5000, "\ufeffx"]
)
def test_a_strange_list_of_tasks_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = state.State("fastpath").path
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="tasks"):
        state.load("fastpath")
