"""Speaking to RouterOS over HTTP: its answers as plain data, its failures as our errors."""

from __future__ import annotations

import ssl
import time
from typing import Any

import httpx

from ppslab.core.documents import disk
from ppslab.core.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.testbed.routers.devices import RouterOS

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
MOST_BYTES = 64_000_000
"""Of an answer; a table of a million routes has more, and nobody asks for one."""


class RefusedError(BackendError):
    """The device answered that it will not: `status` of HTTP, and in `said` its own words."""

    def __init__(self, where: str, status: int, said: str) -> None:
        self.status = status
        self.said = said
        super().__init__(f"{where}: {status}: {said}")


def _reason(data: Any) -> str:
    """Return RouterOS's reason in {"error": 400, "message": "Bad Request", "detail": ...}."""
    if not isinstance(data, dict):
        return ""
    return str(data.get("detail") or data.get("message") or "")


class Service:
    """A RouterOS device's REST interface.  It connects with its first request, not before.

    `remedy`: what to do where nobody answers; `login`: where it lets nobody in.
    """

    def __init__(self, device: RouterOS, *, remedy: str = "", login: str = "") -> None:
        self.device = device
        self._password = device.password.get_secret_value() if device.password else ""
        self._remedy = (
            remedy or "check the url, and /ip/service on the device: http is www, https is www-ssl"
        )
        self._login = login
        self._client: httpx.Client | None = None

    @property
    def where(self) -> str:
        """Return its name in messages."""
        return f"RouterOS at {self.device.url}"

    def ask(
        self, method: str, path: str, body: Any = None, *, seconds: float = ANSWER_SECONDS
    ) -> Any:
        """Ask, and return the answer; None where it is empty.

        CannotHereError where nobody answers; UsageError where it does not let us in; RefusedError
        where it refuses; BackendError where it does not answer within `seconds`, or with no JSON.
        """
        where = self.where
        try:
            answer = self._answer(method, path, body, seconds)
        except httpx.ConnectError as error:
            raise CannotHereError(f"no {where} answers: {error}", self._remedy) from None
        except httpx.ConnectTimeout:
            message = f"no {where} answers within {CONNECT_SECONDS:g} s"
            raise CannotHereError(message, self._remedy) from None
        except httpx.TimeoutException:
            message = f"{where}: {method} {path}: no answer within {seconds:g} s"
            raise BackendError(message) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = str(error) or type(error).__name__
            raise BackendError(f"{where}: {method} {path}: {message}") from None
        except BaseException:
            # Ctrl-C in the middle of a request leaves a connection that knows no next one, and
            # maybe the pool's lock held, so that closing it would wait for ever.
            self._client = None
            raise
        if answer.status_code in (401, 403):
            message = f"{where} refuses this user or password ({answer.status_code})"
            raise UsageError(f"{message}\n{self._login}" if self._login else message)
        data = self._data(answer, f"{where}: {method} {path}")
        if not answer.is_success:
            why = _reason(data) or answer.reason_phrase
            raise RefusedError(f"{where}: {method} {path}", answer.status_code, why)
        return data

    def _answer(self, method: str, path: str, body: Any, seconds: float) -> httpx.Response:
        """The whole answer, bounded in size and time: a device may send without end, and slowly."""
        ends = time.monotonic() + seconds
        with self._open().stream(
            method,
            f"/rest{path}",
            json=body,
            timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
        ) as answer:
            content = bytearray()
            for part in answer.iter_bytes():
                content += part
                if len(content) > MOST_BYTES:
                    raise httpx.DecodingError(f"an answer of more than {MOST_BYTES} bytes")
                if time.monotonic() > ends:
                    raise httpx.ReadTimeout("the answer does not end")
            return httpx.Response(
                answer.status_code, content=bytes(content), extensions=answer.extensions
            )

    def _open(self) -> httpx.Client:
        if self._password and self.device.in_clear:
            raise UsageError(
                f"{self.device.url} would send the password of {self.device.user} unencrypted: use "
                "https:// (/ip/service: www-ssl), or, on a cable that only you use, set "
                "plain_http: true in the inventory"
            )
        if self._client is None:
            # No proxy of the environment: a device stands in the lab.
            self._client = httpx.Client(
                base_url=self.device.url,
                auth=(self.device.user, self._password),
                verify=self._verify(),
                trust_env=False,
            )
        return self._client

    def _verify(self) -> ssl.SSLContext | bool:
        if not self.device.url.startswith("https:"):
            # Reads no certificates, which takes longer than many a request, and trusts nobody.
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if isinstance(self.device.verify, bool):
            return self.device.verify
        try:
            return ssl.create_default_context(cafile=self.device.verify)
        except (OSError, ssl.SSLError) as error:
            raise FileError(self.device.verify, None, f"no CA file: {error}") from None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    @staticmethod
    def _data(answer: httpx.Response, where: str) -> Any:
        if not answer.content.strip():
            return None
        try:
            data = answer.json()
            if disk.depth(data) > disk.DEPTH:
                raise ValueError
            return data
        except (ValueError, RecursionError):
            if not answer.is_success:
                return None
            start = answer.text[:60].strip()
            raise BackendError(f"{where}: no JSON, but {start!r}") from None
