"""The inventory of a router under test, and where its password comes from."""

from __future__ import annotations

import os
from pathlib import Path

import keyring
import pytest
from keyring.errors import KeyringLocked
from pydantic import SecretStr, ValidationError

from ppslab.core import credentials
from ppslab.core.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.model.lab import lab
from ppslab.testbed.routers import bench_inventory
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import api
from ppslab.testbed.routers.routeros.api import Api
from tests.support.doubles.http_server import Answered, HttpServer

SECRET = "correct-horse-battery"

GOOD = """\
routeros:
  url: https://192.0.2.1
  user: ppslab
  ports: {p1: ether6, p2: ether7, p3: ether8}
tester:
  ports: {p1: enp3s0, p2: enp4s0, p3: enp5s0, left: enp6s0, right: enp7s0}
"""


def use(patch: pytest.MonkeyPatch, kept: dict[tuple[str, str], str] | None) -> None:
    """A keyring of the test's own; None: it does not open."""

    def get_password(service: str, username: str) -> str | None:
        if kept is None:
            raise KeyringLocked("the user said no")
        return kept.get((service, username))

    patch.setattr(keyring, "get_password", get_password)


@pytest.fixture(autouse=True)
def nobody_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (credentials.PASSWORD, credentials.USER):
        monkeypatch.delenv(name, raising=False)
    use(monkeypatch, {})


def written(folder: Path, text: str) -> Path:
    path = folder / "inventory.yml"
    path.write_text(text)
    return path


def test_an_inventory_says_how_the_router_is_cabled(tmp_path: Path) -> None:
    found = bench_inventory.load(written(tmp_path, GOOD))
    fastpath = lab.find("fastpath")
    assert found.router_ports(fastpath) == {"p1": "ether6", "p2": "ether7", "p3": "ether8"}
    assert found.tester_ports(fastpath) == {"p1": "enp3s0", "p2": "enp4s0", "p3": "enp5s0"}
    assert found.cable == ("enp6s0", "enp7s0")
    assert (found.host, found.user) == ("192.0.2.1", "ppslab")
    assert found.device.password is None


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("  user: ppslab\n", f"  user: ppslab\n  password: {SECRET}\n"),
        GOOD.replace("//", f"//ppslab:{SECRET}@"),
        GOOD.replace("  user: ppslab\n", f"  user: ppslab\n  pasword: {SECRET}\n"),
    ],
)
def test_a_password_in_the_file_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError) as error:
        bench_inventory.load(written(tmp_path, text))
    assert error.value.line in (2, 4)
    assert SECRET not in str(error.value)


def test_the_environment_tells_before_the_keyring_and_nothing_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, {("ppslab", "ppslab@192.0.2.1"): "another"})
    found = bench_inventory.load(written(tmp_path, GOOD))
    assert found.device.password == SecretStr("another")
    monkeypatch.setenv(credentials.PASSWORD, SECRET)
    monkeypatch.setenv(credentials.USER, "guest")
    found = bench_inventory.load(found.path)
    assert (found.device.user, found.device.password) == ("guest", SecretStr(SECRET))
    for shown in (repr(found), repr(found.device), found.device.model_dump_json(), vars(found)):
        assert SECRET not in str(shown)


def test_a_keyring_that_does_not_open(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, None)
    with pytest.raises(CannotHereError, match=r"admin@192.0.2.1.*the user said no"):
        credentials.password("admin", "192.0.2.1")


def test_a_program_keeps_its_passwords_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(credentials.PASSWORD, SECRET)
    assert SECRET not in credentials.clean_environment().values()
    assert "PATH" in credentials.clean_environment()
    monkeypatch.setattr(credentials, "_kept", None)
    credentials.keep()
    assert credentials.PASSWORD not in os.environ
    assert credentials.password("admin", "192.0.2.1") == SecretStr(SECRET)


# --- a password leaves this machine readable only where somebody asked for it ---------------------


def asked(url: str, *, plain_http: bool = False, password: str = "secret") -> None:
    device = RouterOS(url=url, password=SecretStr(password), plain_http=plain_http)
    api = Api(device)
    try:
        api.rows("/ip/address")
    finally:
        api.close()


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1", "http://192.0.2.1:8080", "http://[2001:db8::1]"]
)
def test_no_password_goes_in_clear(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    opened: list[str] = []

    class Client:
        def __init__(self, **words: object) -> None:
            opened.append(str(words["base_url"]))
            raise BackendError("opened")

    monkeypatch.setattr(api.httpx, "Client", Client)
    with pytest.raises(UsageError, match="plain_http: true") as caught:
        asked(url)
    assert "secret" not in str(caught.value) and not opened
    for words in ({"plain_http": True}, {"password": ""}):
        with pytest.raises(BackendError, match="opened"):
            asked(url, **words)  # type: ignore[arg-type]
    with pytest.raises(BackendError, match="opened"):
        asked(url.replace("http:", "https:"))


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://x:99999999", "http://:80", "https://x:y", "http://x:0", "ftp://x"],
)
def test_an_address_that_is_none_is_said_so(url: str) -> None:
    with pytest.raises(ValidationError):
        RouterOS(url=url)


LONG = b"[" + b"1," * 5000 + b"1]"


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "said"),
    [
        *((body, "no JSON") for body in (b"[" * 200_000, b"[" * 500 + b"]" * 500, b"{", b"\xff")),
        (LONG, "more than 1000 bytes"),
    ],
)
def test_a_strange_answer_is_one_message(
    monkeypatch: pytest.MonkeyPatch, body: bytes, said: str
) -> None:
    if body == LONG:
        monkeypatch.setattr(api, "MOST_BYTES", 1000)
    with (
        HttpServer(lambda _: Answered(200, body)) as server,
        pytest.raises(BackendError, match=said),
    ):
        asked(server.url)
