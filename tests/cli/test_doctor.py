"""`ppslab doctor --router` as a reader types it, against the RouterOS double."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ppslab.cli.doctor import doctor, router_report
from ppslab.core.errors import CannotHereError, FileError, UsageError
from tests.cli.conftest import Run
from tests.support.doubles.routeros_rest import Device, Server

SECRET = "correct-horse-battery"


@pytest.fixture
def device() -> Iterator[tuple[Device, str]]:
    found = Device(password=SECRET, version="7.21.4 (stable)", memory=256 << 20)
    with Server(found) as server:
        yield found, server.url


def inventory(folder: Path, url: str) -> str:
    path = folder / "inventory.yml"
    path.write_text(f"routeros:\n  url: {url}\n  ports: {{p1: ether2, p2: ether3}}\n")
    return str(path)


@pytest.mark.long
def test_it_prints_what_spoils_a_number_and_what_to_do(
    ppslab: Run, device: tuple[Device, str], tmp_path: Path
) -> None:
    argv = ("doctor", "--router", "--dut", inventory(tmp_path, device[1]), "--lab", "l3offload")
    done = ppslab(*argv, PPSLAB_DUT_PASSWORD=SECRET)
    assert done.returncode == 1, done.stderr
    assert "/system/license/renew" in done.stdout
    assert SECRET not in done.stdout + done.stderr
    asked = {(method, path) for method, path, _ in device[0].requests if method != "GET"}
    assert asked == {("POST", "/rest/console/inspect")}, "looking changes nothing"


def report(monkeypatch: pytest.MonkeyPatch, path: Path | str | None, **words: Any) -> Any:
    """The exit code, and what is printed, in this process."""
    monkeypatch.setenv("PPSLAB_DUT_PASSWORD", words.pop("password", SECRET))
    said = io.StringIO()
    code = router_report(
        None if path is None else Path(path), console=Console(file=said, width=200), **words
    )
    return code, said.getvalue()


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ({"path": "{here}", "password": "wrong-" + SECRET}, UsageError, "401"),
        ({"path": "{nobody}"}, CannotHereError, r"127\.0\.0\.1:9"),
        ({"path": None}, UsageError, "--dut"),
        ({"path": "/nowhere.yml"}, FileError, r"nowhere\.yml"),
    ],
)
def test_a_router_that_cannot_be_asked_is_one_message(
    monkeypatch: pytest.MonkeyPatch,
    device: tuple[Device, str],
    tmp_path: Path,
    words: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    urls = {"{here}": device[1], "{nobody}": "http://127.0.0.1:9"}
    if words["path"] in urls:
        words = words | {"path": inventory(tmp_path, urls[words["path"]])}
    with pytest.raises(error, match=said) as refused:
        report(monkeypatch, **words)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "words", [{"inventory": Path("x.yml"), "here": None}, {"inventory": None, "here": True}]
)
def test_words_on_a_router_need_one(words: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="--router"):
        doctor(kvm=False, router=False, of_lab=None, **words)


def test_a_router_that_nothing_spoils_is_well(
    monkeypatch: pytest.MonkeyPatch, device: tuple[Device, str], tmp_path: Path
) -> None:
    device[0].level, device[0].memory = "p-unlimited", 1 << 30
    path = inventory(tmp_path, device[1])
    code, said = report(monkeypatch, path, lab_name="fastpath", here=False)
    rows = [[cell.strip() for cell in line.split("│")[1:3]] for line in said.splitlines()]
    states = dict(row for row in rows if len(row) == 2)
    assert states["licence"] == states["version"] == states["fast path IPv4"] == "ok"
    assert code == 0
