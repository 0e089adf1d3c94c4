"""The inventory of a router under test, and where its password comes from."""

from __future__ import annotations

import os
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked
from pydantic import SecretStr, ValidationError

from ppslab.core import credentials
from ppslab.core.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.model.lab import lab
from ppslab.testbed.routers import bench_inventory
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import rest
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


class Keyring(KeyringBackend):
    """A keyring of the test's own."""

    priority = 1  # type: ignore[assignment]

    def __init__(self, kept: dict[tuple[str, str], str], locked: bool = False) -> None:
        super().__init__()
        self.kept, self.locked = kept, locked

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("the user said no")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture(autouse=True)
def nobody_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (credentials.PASSWORD, credentials.USER):
        monkeypatch.delenv(name, raising=False)
    use(monkeypatch, Keyring({}))


def use(monkeypatch: pytest.MonkeyPatch, ring: Keyring) -> None:
    monkeypatch.setattr(keyring, "get_password", ring.get_password)


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


def test_the_environment_tells_before_the_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Keyring({("ppslab", "ppslab@192.0.2.1"): SECRET}))
    path = written(tmp_path, GOOD)
    of_keyring = bench_inventory.load(path).device
    assert of_keyring.password and of_keyring.password.get_secret_value() == SECRET
    monkeypatch.setenv(credentials.PASSWORD, "another")
    of_environment = bench_inventory.load(path).device
    assert of_environment.password and of_environment.password.get_secret_value() == "another"
    monkeypatch.setenv(credentials.USER, "guest")
    assert bench_inventory.load(path).device.user == "guest"


def test_nothing_that_is_shown_of_a_router_has_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(credentials.PASSWORD, SECRET)
    found = bench_inventory.load(written(tmp_path, GOOD))
    device = found.device
    for shown in (repr(found), str(found), repr(device), str(device), device.model_dump_json()):
        assert SECRET not in shown
    assert SECRET not in str(vars(found))


def test_a_keyring_that_does_not_open(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Keyring({}, locked=True))
    with pytest.raises(CannotHereError, match=r"admin@192.0.2.1.*the user said no"):
        credentials.password("admin", "192.0.2.1")


def test_what_is_started_does_not_inherit_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(credentials.PASSWORD, SECRET)
    assert SECRET not in credentials.clean_environment().values()
    assert "PATH" in credentials.clean_environment()


def test_a_program_keeps_its_passwords_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(credentials.PASSWORD, SECRET)
    monkeypatch.setattr(credentials, "_kept", None)
    credentials.keep()
    assert credentials.PASSWORD not in os.environ
    told = credentials.password("admin", "192.0.2.1")
    assert told and told.get_secret_value() == SECRET


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

    monkeypatch.setattr(rest.httpx, "Client", Client)
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


def answering(body: bytes) -> HttpServer:
    return HttpServer(lambda _: Answered(200, body))


@pytest.mark.long
@pytest.mark.parametrize("body", [b"[" * 200_000, b"[" * 500 + b"]" * 500, b"{", b"\xff\xfe"])
def test_a_strange_answer_is_one_message(body: bytes) -> None:
    with answering(body) as server, pytest.raises(BackendError, match="no JSON"):
        asked(server.url)


@pytest.mark.long
def test_an_answer_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "MOST_BYTES", 1000)
    with (
        answering(b"[" + b"1," * 5000 + b"1]") as server,
        pytest.raises(BackendError, match="more than 1000 bytes"),
    ):
        asked(server.url)
