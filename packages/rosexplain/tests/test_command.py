"""`rosexplain` by itself: it needs Python alone."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from asked import EXAMPLES

from rosexplain.__main__ import main
from rosexplain.base import FILE

SOURCES = FILE.parents[1]
DROPS = "/ip firewall filter\nadd action=drop chain=forward\n"
ADDRESS = "/ip address\nadd address=10.0.0.1/24 interface=ether1\n"


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    returncode: int
    stdout: str
    stderr: str


def command(*arguments: str | Path) -> Done:
    """Run it in this process: of the tests with a Python of their own, one is enough."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main([str(each) for each in arguments])
    return Done(code, out.getvalue(), errors.getvalue())


def alone(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run it by a Python that sees no other package."""
    return subprocess.run(
        [sys.executable, "-S", "-E", "-c",
         f"import sys; sys.path.insert(0, {str(SOURCES)!r}); from rosexplain.__main__ import main; "
         "sys.exit(main(sys.argv[1:]))", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_it_answers_without_any_other_package(tmp_path: Path) -> None:
    drawn = ("--svg", tmp_path / "path.svg")
    done = alone(EXAMPLES / "home.rsc", "--json", "--share", *drawn)
    assert done.returncode == 0, done.stderr
    established = {each["class"]: each for each in json.loads(done.stdout)["classes"]}[
        "established"
    ]
    assert established["paths"] == ["fasttrack"]
    shown = alone(EXAMPLES / "accept-in-front.rsc", "--packet", "in=ether2 dst=1.1.1.1:443/tcp")
    assert shown.returncode == 1 and "line 23" in shown.stdout
    tried = alone(EXAMPLES / "home.rsc", "--try", GUARD.replace("ether1", "bridge"))
    assert tried.returncode == 1 and tried.stderr == ""
    wrong = alone(tmp_path / "no-such.rsc")
    assert wrong.returncode == 2 and wrong.stderr.startswith("rosexplain: ")


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (None, [], "no-such.rsc"),
        ("", [], "no RouterOS command"),
        ("hello\n", [], "no RouterOS command"),
        (ADDRESS, ["--packet", "in=x y"], "x"),
        (ADDRESS, ["--packet", "in=ehter1 dst=1.1.1.1"], "it has ether1"),
        (ADDRESS, ["--without", "77"], "line 77 of"),
        (ADDRESS, ["--without", "1"], "configures nothing"),
        (ADDRESS, ["--without", "x"], "the number of a line"),
        (ADDRESS, ["--without", "²"], "the number of a line"),
        (ADDRESS, ["--without", "1" * 40], "the number of a line"),
        (ADDRESS, ["--without", "other.rsc:2"], "other.rsc is no export here"),
        (
            ADDRESS,
            ["--try", "/ip firewal filter add"],
            "--try:1: bad command name firewal; did you mean firewall?",
        ),
        (ADDRESS, ["--try", "/ip address\nad address=1.1.1.1/24"], "--try:2"),
        (ADDRESS, ["--try", "/ip firewall filter add action=drpp"], "did you mean drop?"),
        (
            ADDRESS,
            ["--try", "/ip address remove [find interface=ether2]"],
            "[find interface=ether1]",
        ),
        (
            ADDRESS,
            ["--try", "/ip address set [find interface=ether1] disabled=yes; set 3 x=y"],
            "--try:1: ",
        ),
        (ADDRESS, ["--try", "/ip address print"], "print changes nothing"),
        (ADDRESS, ["--try", "{"], "scripts are not run"),
        (ADDRESS, ["--try", "/ip firewall filter add chain=forward action=drops"], "mean drop?"),
        (ADDRESS, ["--try", "@no-such-change.rsc"], "no-such-change.rsc"),
        (ADDRESS, ["--try", " "], "no command"),
        (ADDRESS, ["--svg", "/"], "/: a folder or a device"),
        (ADDRESS, ["--svg", "/dev/null"], "/dev/null: a folder or a device"),
        (ADDRESS, ["--svg", "/no-such-folder/path.svg"], "path.svg: No such file or directory"),
        (ADDRESS, ["--svg", "x.svg", "--try", "/ip settings set rp-filter=strict"], "no --svg"),
        (DROPS, ["--svg", "/no-such-folder/path.svg"], "nothing to draw"),
    ],
)
def test_what_is_wrong_is_one_line(
    tmp_path: Path, text: str | None, options: list[str], says: str
) -> None:
    path = tmp_path / "no-such.rsc"
    if text is not None:
        path.write_text(text)
    done = command(path, *options)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("rosexplain: ") and says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "0\n", "hunter2: hunter2\n", "[admin@MikroTik] > /log/print\nhunter2\n"],
)
def test_an_output_of_which_nothing_is_read_is_refused_in_one_line(
    tmp_path: Path, text: str
) -> None:
    output, export = tmp_path / "p.txt", tmp_path / "r.rsc"
    output.write_text(text)
    export.write_text(ADDRESS)
    done = command(export, "--print", output)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "hunter2" not in done.stderr and "--print reads" in done.stderr


def test_lines_are_left_out_by_number_and_file_and_as_often_as_asked(tmp_path: Path) -> None:
    first, second = tmp_path / "a.rsc", tmp_path / "b.rsc"
    first.write_text(ADDRESS)
    second.write_text(DROPS)
    both = ("--parts", "--json")
    for words, lines in (
        (["--without", "2"], [(first, 2), (second, 2)]),
        (["--without", f"{second}:2"], [(second, 2)]),
        (["--without", f"{second}:2", "--without", f"{first}:2"], [(second, 2), (first, 2)]),
    ):
        done = command(first, second, *both, *words)
        gone = [(Path(each["file"]), each["line"]) for each in json.loads(done.stdout)["without"]]
        assert sorted(gone) == sorted(lines), done.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_export_is_read_in_the_encodings_that_winbox_and_people_save(
    tmp_path: Path, encoding: str, end: str
) -> None:
    text = (EXAMPLES / "home.rsc").read_text(encoding="utf-8") + "# Büro\n"
    path = tmp_path / "home.rsc"
    path.write_bytes(text.replace("\n", end).encode(encoding))
    done = command(path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["classes"][0]["paths"] == ["chip"]


def test_a_drawing_takes_the_place_of_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "path.svg"
    path.write_text("the last one")
    assert command(EXAMPLES / "home.rsc", "--svg", path).returncode == 0
    drawn = path.read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and drawn.endswith("</svg>\n") and "line 23" in drawn
    assert [file.name for file in tmp_path.iterdir()] == ["path.svg"]
    shared = tmp_path / "shared.svg"
    assert command(EXAMPLES / "two-wans.rsc", "--svg", shared, "--share").returncode in (0, 1)


def test_a_drawing_that_fails_leaves_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "path.svg"
    path.write_text("the last one")
    export = tmp_path / "no.rsc"
    export.write_text(DROPS)
    assert command(export, "--svg", path).returncode == 2
    assert path.read_text() == "the last one" and len(list(tmp_path.iterdir())) == 2


def test_a_backup_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "router.backup"
    path.write_bytes(b"\x88\xac\xa1\xb1\xff\x00")
    done = command(path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


GUARD = "/ip firewall filter add chain=forward action=drop in-interface=ether1"


@pytest.mark.parametrize(
    ("change", "code", "back"),
    [(GUARD, 1, "opened"), ("/ip settings set rp-filter=strict", 0, "guard")],
)
def test_a_change_is_tried_and_a_loss_is_exit_code_1(
    tmp_path: Path, change: str, code: int, back: str
) -> None:
    """The change as an option, in a file, and as a second export: the same answer."""
    for name, text in (("before.rsc", ADDRESS), ("change.rsc", change + "\n"),
                       ("after.rsc", ADDRESS + change + "\n")):  # fmt: skip
        (tmp_path / name).write_text(text)
    before, after = tmp_path / "before.rsc", tmp_path / "after.rsc"
    every = [
        command(before, "--try", change, "--json"),
        command(before, "--try", f"@{tmp_path / 'change.rsc'}", "--json"),
        command(before, after, "--json"),
    ]
    assert [done.returncode for done in every] == [code] * 3, every[0].stdout + every[0].stderr
    answers = [json.loads(done.stdout) for done in every]
    for key in ("says", "worse", "harms", "warned", "probes"):
        assert [answer[key] for answer in answers] == [answers[0][key]] * 3
    undone = command(after, before, "--json")
    assert undone.returncode == 1
    assert {harm["kind"] for harm in json.loads(undone.stdout)["harms"]} == {back}


def test_parts_of_an_export_are_one_router_and_three_exports_need_to_be(tmp_path: Path) -> None:
    parts = []
    for number, text in enumerate((ADDRESS, GUARD + "\n", "/ip settings set rp-filter=strict\n")):
        parts.append(tmp_path / f"{number}.rsc")
        parts[-1].write_text(text)
    assert len(json.loads(command(*parts, "--parts", "--json").stdout)["router"]["files"]) == 3
    wrong = command(*parts)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1) and "--parts" in wrong.stderr
