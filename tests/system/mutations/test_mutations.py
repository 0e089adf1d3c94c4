"""The list of mutations is one that can be put in, and leaves no room out."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest

from tests.system import mutations

ROOT = Path(__file__).resolve().parents[3]
FOUND = mutations.load()

pytestmark = pytest.mark.skipif(
    mutations.PUT_IN.exists(), reason="mutations are put in: some of the list's places are gone"
)


@pytest.mark.parametrize("name", FOUND.mutations)
def test_a_mutation_has_its_place_and_what_must_see_it(name: str, tmp_path: Path) -> None:
    mutation = FOUND.mutations[name]
    assert mutation.round in FOUND.rounds
    copied = tmp_path / mutation.file
    copied.parent.mkdir(parents=True)
    shutil.copy(ROOT / mutation.file, copied)
    mutation.put_in(tmp_path)
    assert copied.read_text() == (ROOT / mutation.file).read_text().replace(
        mutation.old, mutation.new
    )
    _exists(mutation.caught)


def _exists(caught: str) -> None:
    path, _, test = caught.partition("::")
    if "/" not in path:
        assert re.search(rf"^{path}:|\b{path}\b", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    assert (ROOT / path).is_file(), path
    if test:
        tree = ast.parse((ROOT / path).read_text())
        names = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        assert test.partition("[")[0] in names


def test_every_room_has_one() -> None:
    rooms = {path.name for path in (ROOT / "src/ppslab").iterdir() if path.is_dir()}
    files = [each.file for each in FOUND.mutations.values()]
    assert rooms - {"__pycache__"} == {
        f.parts[2] for f in files if f.parts[:2] == ("src", "ppslab")
    }
