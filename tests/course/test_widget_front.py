"""The modules that show a widget: a bundler follows their imports, and anywidget gets one text."""

from __future__ import annotations

import base64
import re
import subprocess
from pathlib import Path

import pytest

from ppslab.course.widgets import front
from tests.course.models.both import NODE

FOLDER = Path(front.__file__).parent

RUNS = """
const made = await import(`data:text/javascript;base64,${process.argv[1]}`);
console.log(Object.keys(made).join(), typeof made.default.render);
"""


def test_every_module_that_is_there_is_in_the_one_text() -> None:
    assert sorted(front.MODULES) == sorted(path.name for path in FOLDER.glob("*.js"))


@pytest.mark.parametrize("name", front.MODULES)
def test_a_module_imports_only_from_those_before_it(name: str) -> None:
    text = (FOLDER / name).read_text()
    imported = re.findall(r'^import .* from "\./(.*)";$', text, re.MULTILINE)
    assert len(imported) == len(re.findall(r"^\s*import\b|\bimport\(", text, re.MULTILINE))
    assert set(imported) <= set(front.MODULES[: front.MODULES.index(name)])


def test_the_one_text_is_a_module_that_anywidget_takes() -> None:
    """Node says where two modules have a name of their own in common."""
    encoded = base64.b64encode(front.module().encode()).decode()
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", RUNS, encoded],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "default function\n", done.stderr
