"""A file that is wrong is refused with the line of what is wrong in it, whatever reads it.

wrong.yml holds groups: who reads it (`read`), what is right (`text`, or `of`: a project's file),
and cases: the words that are put in the place of which of its words, or a `text` of their own;
`line`, the line that is named (in a file of the project: one that is near those words); and `says`,
words of the message, where it tells more than that.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core import documents, paths
from ppslab.core.documents.fitting import validate
from ppslab.core.errors import FileError
from ppslab.course.tasks import reading
from ppslab.course.widgets.facts import nanoseconds
from ppslab.judge import claims
from ppslab.model.lab import lab, topology
from ppslab.model.planning.nics import lstopo
from ppslab.model.switch_chip import routes
from ppslab.testbed.routers import bench_inventory
from tests.core.test_documents import Chip, Shelf
from tests.judge.made_claims import made_lab

ROOT = paths.project_root()
GROUPS = yaml.safe_load(Path(__file__).with_name("wrong.yml").read_text(encoding="utf-8"))


def in_file(name: str, load: Callable[[Path], Any]) -> Callable[[Path, str], Any]:
    """A reader of one file."""

    def read(folder: Path, text: str) -> Any:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return load(path)

    return read


def in_copy(of: str, name: str, load: Callable[[lab.Lab], Any]) -> Callable[[Path, str], Any]:
    """A reader of a file of a lab, whose other files are those of the lab `of`."""

    def read(folder: Path, text: str) -> Any:
        copy = shutil.copytree(ROOT / "labs" / of, folder / "labs" / "mylab")
        (copy / name).write_text(text, encoding="utf-8")
        return load(lab.load(copy))

    return read


READERS: dict[str, Callable[[Path, str], Any]] = {
    "topology": in_file("eoip.clab.yml", topology.load),
    "topology for containerlab": in_file("ros.clab.yml", partial(topology.load, foreign=True)),
    "lab": in_file("lab.yml", lambda path: lab.load(path.parent)),
    "lab of cores": in_copy("cores", "lab.yml", lambda found: found),
    "tasks": in_copy("_template", "tasks.yml", reading.load),
    "judge": lambda folder, text: claims.load(made_lab(folder, text)),
    "routes": in_file("routes.txt", routes.read),
    "ladders of fastpath": in_copy("fastpath", "ladders.yml", nanoseconds.of_lab),
    "ladders of eoip": in_copy("eoip", "ladders.yml", nanoseconds.of_lab),
    "ladders of pppoe": in_copy("pppoe", "ladders.yml", nanoseconds.of_lab),
    "inventory": in_file("inventory.yml", bench_inventory.load),
    "lstopo": lambda _, text: lstopo.parse(text, Path("machine.xml")),
    "yaml": in_file("x.yml", documents.load_yaml),
    "json": in_file("x.json", documents.load_json),
    "csv": in_file("x.csv", partial(documents.read_csv, required=["id", "pps"])),
    "model": in_file("x.yml", lambda path: validate(documents.load_yaml(path), Shelf)),
    "table": in_file(
        "chips.csv", partial(documents.read_table, kind=Chip, unique=["chip"], name="chip")
    ),
}
NEAR = 3
"""What a reader finds below the line that is named, or above it."""
CASES = [
    pytest.param(group, case, id=f"{group['read']}: {number}")
    for group in GROUPS
    for number, case in enumerate(group["cases"], 1)
]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["read"])
def test_what_is_right_is_read(group: dict[str, Any], tmp_path: Path) -> None:
    READERS[group["read"]](tmp_path, right(group))


def right(group: dict[str, Any]) -> str:
    return group.get("text") or (ROOT / group["of"]).read_text(encoding="utf-8")


@pytest.mark.parametrize(("group", "case"), CASES)
def test_what_is_wrong_is_named_with_its_line(
    group: dict[str, Any], case: dict[str, Any], tmp_path: Path
) -> None:
    text = case["text"] if "text" in case else right(group)
    near = []
    for old, new in case.items():
        if old not in ("text", "line", "says"):
            near.append(text[: text.index(old)].count("\n") + 1)
            text = text.replace(old, new, 1)
    with pytest.raises(FileError) as caught:
        READERS[group["read"]](tmp_path, text)
    if "line" in case:
        assert caught.value.line == case["line"]
    else:
        named = [int(line) for line in re.findall(r":(\d+): ", str(caught.value))]
        assert [line for line in named if abs(line - near[0]) <= NEAR], caught.value
    assert re.search(case.get("says", ""), str(caught.value))
