"""The same class on a cluster: values of a chart, and a login that needs no ppslab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ppslab.backends.images import IMAGES, Wishes
from ppslab.base.errors import UsageError
from ppslab.base.paths import project_root
from ppslab_class.board import Board
from ppslab_class.hub import values
from ppslab_class.hub.description import Limits, Seats

pytestmark = pytest.mark.long
SEATS = Seats(title="A day", names=("seat-01", "seat-02"), limits=Limits(memory_mib=512))
CHART = os.environ.get("PPSLAB_Z2JH_CHART")


def read(host: str = "lab.example") -> dict[str, Any]:
    told = yaml.safe_load(values.text(values.values(SEATS, "example.org/lab/seat:1", host)))
    assert isinstance(told, dict)
    return told


def merged(defaults: Any, told: Any) -> Any:
    """As Helm does before it looks at the schema: maps key by key, all else replaced."""
    if not (isinstance(defaults, dict) and isinstance(told, dict)):
        return told
    both = {name: merged(defaults[name], told[name]) for name in defaults.keys() & told.keys()}
    return defaults | told | both


@pytest.mark.skipif(
    not CHART, reason="PPSLAB_Z2JH_CHART names no folder with the chart's values and their schema"
)
@pytest.mark.parametrize("host", ["", "lab.example"])
def test_the_values_fit_the_charts_schema(host: str) -> None:
    chart = Path(str(CHART))
    schema = yaml.safe_load((chart / "values.schema.yaml").read_text(encoding="utf-8"))
    defaults = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(merged(defaults, read(host)), schema)
    wrong = merged(defaults, read(host) | {"singelusers": {}})
    with pytest.raises(jsonschema.ValidationError, match="singelusers"):
        jsonschema.validate(wrong, schema)


def test_a_seat_has_its_limits_and_reaches_the_hub_alone() -> None:
    seat = values.values(SEATS, "example.org:5000/lab/seat:1")["singleuser"]
    image = seat["image"]
    assert (image["name"], image["tag"]) == ("example.org:5000/lab/seat", "1")
    assert seat["memory"] == {"limit": "512M", "guarantee": "512M"}
    rules = seat["networkPolicy"]["egressAllowRules"]
    assert {name for name, on in rules.items() if on} == {"dnsPortsKubeSystemNamespace"}
    assert seat["allowPrivilegeEscalation"] is False


def test_without_another_image_a_seat_is_the_one_that_make_images_builds() -> None:
    seat = values.values(SEATS)["singleuser"]
    named = f"{seat['image']['name']}:{seat['image']['tag']}"
    assert named == IMAGES["seat"].tagged(Wishes().tag)
    dockerfile = (project_root() / IMAGES["seat"].dockerfile).read_text()
    assert f"USER {seat['uid']}:{seat['fsGid']}" in dockerfile
    assert f"WORKDIR {seat['storage']['homeMountPath']}" in dockerfile
    # KubeSpawner gives its command as arguments, so what furnishes the home comes before it.
    assert 'ENTRYPOINT ["/usr/lib/ppslab/start"]' in dockerfile
    start = (project_root() / "images/seat/start").read_text()
    assert "ppslab workshop shell --hub" in start
    assert "PPSLAB_RESULTS" not in seat.get("extraEnv", {}), "the seat's own start names the folder"


@pytest.mark.parametrize("image", ["seat", "example.org:5000/seat", ":1"])
def test_an_image_without_a_tag_is_refused(image: str) -> None:
    with pytest.raises(UsageError, match="NAME:TAG"):
        values.values(SEATS, image)


LOGIN = """
import asyncio, sys
sys.modules["ppslab"] = None
sys.path.insert(0, sys.argv[1])
from types import SimpleNamespace
from card_codes import CardCodes
from tornado.web import HTTPError
asked = CardCodes(codes=sys.argv[2])
handler = SimpleNamespace(request=SimpleNamespace(remote_ip="192.0.2.1"))
for code in sys.argv[3:]:
    try:
        print(asyncio.run(asked.authenticate(handler, {"code": code})))
    except HTTPError as error:
        print(error.status_code)
"""


def test_the_login_of_a_hub_without_ppslab_knows_the_cards(tmp_path: Path) -> None:
    board = Board(tmp_path)
    codes = board.set_up(2, "A day", None)
    secret = tmp_path / values.CODES
    secret.write_text(values.codes(board))
    board.close()
    assert not any(code in secret.read_text() for code in codes.values())
    files = read()["hub"]["extraFiles"]
    modules = tmp_path / "modules"
    modules.mkdir()
    for each in files.values():
        (modules / Path(each["mountPath"]).name).write_text(each["stringData"])
    shown = [codes["seat-02"].lower(), codes["instructor"], *["WRONG"] * 30, codes["seat-01"]]
    words = [sys.executable, "-c", LOGIN, str(modules), str(secret), *shown]
    answers = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert answers[:3] == ["seat-02", "403", "403"]
    assert answers[-1] == "429", "after thirty wrong ones the right one is refused too"


def test_the_command_writes_values_and_digests_of_the_board(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.set_up(2, "A day", None)
    board.close()
    ppslab = [f"{sys.prefix}/bin/ppslab", "workshop", "values", "--folder", str(tmp_path)]
    output = tmp_path / "values.yaml"
    words = [*ppslab, "--image", "example.org/seat:1", "--output", str(output)]
    subprocess.run(words, check=True, capture_output=True)
    told = yaml.safe_load(output.read_text())
    assert told["singleuser"]["image"]["name"] == "example.org/seat"
    subprocess.run([*ppslab, "--output", str(output)], check=True, capture_output=True)
    told = yaml.safe_load(output.read_text())
    assert told["singleuser"]["image"]["name"] == "ppslab/seat"
    assert told["hub"]["config"]["CardCodes"]["allowed_users"] == ["seat-01", "seat-02"]
    secret = tmp_path / values.CODES
    assert sorted(json.loads(secret.read_text())["seats"].values()) == ["seat-01", "seat-02"]
    assert secret.stat().st_mode & 0o077 == 0
