"""A password leaves this machine readable only where somebody asked for it."""

from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from ppslab.core.errors import BackendError, UsageError
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import rest
from ppslab.testbed.routers.routeros.api import Api
from tests.support.doubles.http_server import Answered, HttpServer


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
