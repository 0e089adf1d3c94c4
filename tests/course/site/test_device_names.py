"""The pages find a device by a name as `ppslab fast` does: the same cases, in JavaScript."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core import paths
from ppslab.model import devices
from tests.model.devices import test_devices

SCRIPT = paths.project_root() / "book/assets/device-names.js"
CASES = yaml.safe_load(
    Path(test_devices.__file__).with_name("names.yml").read_text(encoding="utf-8")
)
ASK = """
const { devices, names } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { find } = globalThis.ppslabDevices;
console.log(JSON.stringify(names.map((name) => {
  const { device, several } = find(name, devices);
  return { code: device?.code ?? "", several: !!several };
})));
"""


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    """What the script finds by each case's name, then by each device's name and code."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    known = [
        {"name": each.name, "code": each.code, "cpu": each.cpu_class,
         "published": devices.is_published(each)}
        for each in devices.load()
    ]  # fmt: skip
    names = [case["name"] for case in CASES]
    names += [text for each in devices.load() for text in (each.name, each.code)]
    script = SCRIPT.read_text(encoding="utf-8") + ASK
    asked = json.dumps({"devices": known, "names": names})
    done = subprocess.run(
        [node, "-e", script], input=asked, capture_output=True, text=True, check=True
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_name_finds_what_the_command_finds(answers: list[dict[str, Any]]) -> None:
    wanted = [
        {"code": case.get("code", ""), "several": case.get("several", False)} for case in CASES
    ]
    assert answers[: len(CASES)] == wanted


def test_every_device_is_found_by_its_name_and_code(answers: list[dict[str, Any]]) -> None:
    wanted = [each.code for each in devices.load() for _ in range(2)]
    assert [each["code"] for each in answers[len(CASES) :]] == wanted
