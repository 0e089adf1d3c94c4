"""What shows a widget: modules that a bundler follows and anywidget gets as one, and controls."""

from __future__ import annotations

import base64
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import UsageError
from ppslab.course.models import WIDGETS
from ppslab.course.widgets import controls, front, live
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


def test_every_control_is_of_a_kind_that_the_page_has() -> None:
    script = (FOLDER / "controls.js").read_text()
    shown = {*re.findall(r"^  (\w+)\(control, id", script, re.MULTILINE), "fragment", "results"}
    assert {control["kind"] for name in WIDGETS for control in live.parts(name, {})[1]} == shown


@pytest.mark.parametrize(
    ("inputs", "wrong"),
    [
        ({"size": 64}, ""),
        ({"size": 9216}, ""),
        ({"size": 63}, "a number from 64 to 9216, not 63"),
        ({"size": 9217}, "a number from 64 to 9216"),
        ({"size": "64"}, "a number from 64 to 9216"),
        ({"speed": 25000, "headers": ["vlan", "eoip"]}, ""),
        ({"speed": 11}, "speed is one of 10, 100"),
        ({"headers": ["vlan", "lan"]}, "headers is one of vlan"),
        ({"sise": 64}, "no input 'sise' (did you mean \"size\"?)"),
        ({"example": 1}, "no input 'example'"),
    ],
)
def test_the_inputs_that_a_page_names_fit_their_controls(
    inputs: dict[str, Any], wrong: str
) -> None:
    if wrong:
        with pytest.raises(UsageError) as caught:
            live.parts("line-rate", inputs)
        assert wrong in str(caught.value)
    else:
        assert inputs.items() <= controls.beginning(live.parts("line-rate", inputs)[1]).items()
