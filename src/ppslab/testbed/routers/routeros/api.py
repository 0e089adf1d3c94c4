"""RouterOS's REST interface as what it is to us: menus of rows, settings, commands.

Sources: MikroTik's manual (developer guides: REST API); which method does what, and its status,
as tikoci/centrs recorded it on CHR 7.23.2 and 7.24rc2; what terraform-provider-routeros sends.

[INF] marks what no real device has confirmed to us.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import httpx

from ppslab.core.documents import disk
from ppslab.core.errors import BackendError, CannotHereError, FileError, PpslabError, UsageError
from ppslab.core.processes import finished_first
from ppslab.testbed.routers.devices import RouterOS

Row = dict[str, str]
Answer = TypeVar("Answer")

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 30.0
MOST_BYTES = 64_000_000
"""Of an answer; a table of a million routes has more, and nobody asks for one."""

CHANGE_SECONDS = 65.0
"""So long a change is waited for, so that its outcome is known: REST aborts commands that take
longer than 60 s (MikroTik's manual: REST API, timeout)."""

CLOSED = "Session closed"
"""Its words then (terraform-provider-routeros, resource_actions.go)."""

LIST_SECONDS = 60.0

_PAUSE = 1.0
"""Between two looks at a device that starts."""

DEVICE_MODE = "/system/device-mode/update"


class RefusedError(BackendError):
    """The device answered that it will not: `status` of HTTP, and in `said` its own words."""

    def __init__(self, where: str, status: int, said: str) -> None:
        self.status = status
        self.said = said
        super().__init__(f"{where}: {status}: {said}")


class Api:
    """One device as menus of rows, settings and commands.  It connects with its first request.

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

    def _change(self, method: str, path: str, body: Any = None) -> Any:
        """Ask for a change, and hear of it: one that was broken off, by Ctrl-C or because nobody
        waited any longer, may still be made after its way back was looked for.
        """
        with finished_first():
            return self.ask(method, path, body, seconds=CHANGE_SECONDS)

    def rows(self, menu: str, *properties: str) -> list[Row]:
        """The rows of a menu; `properties`: only these, which spares a long answer."""
        path = f"{menu}?.proplist={','.join(properties)}" if properties else menu
        answer = self.ask("GET", path, seconds=LIST_SECONDS)
        if not isinstance(answer, list) or not all(isinstance(row, dict) for row in answer):
            raise BackendError(f"{self.where}: {menu}: not a list of rows, but {_start(answer)}")
        return answer

    def rows_or_none(self, menu: str) -> list[Row] | None:
        """The same; None where this device has no such menu."""
        return _or_none(_is_no_menu, self.rows, menu)

    def row(self, menu: str, item: str) -> Row | None:
        """One row; None where it is not there (any more)."""
        return _or_none(_is_no_row, self.settings, f"{menu}/{item}")

    def settings(self, menu: str) -> Row:
        answer = self.ask("GET", menu)
        if not isinstance(answer, dict):
            raise BackendError(f"{self.where}: {menu}: not settings, but {_start(answer)}")
        return answer

    def settings_or_none(self, menu: str) -> Row | None:
        """The same; None where this device has no such menu."""
        return _or_none(_is_no_menu, self.settings, menu)

    def add(self, menu: str, properties: Mapping[str, str]) -> Row:
        """Add a row at the end; the row as it is then, with its .id."""
        answer = self._change("PUT", menu, dict(properties))
        if not isinstance(answer, dict) or ".id" not in answer:
            raise BackendError(f"{self.where}: {menu}: a new row has no .id: {_start(answer)}")
        return answer

    def set(self, menu: str, item: str, properties: Mapping[str, str]) -> None:
        self._change("PATCH", f"{menu}/{item}", dict(properties))

    def unset(self, menu: str, item: str, name: str) -> None:
        """Make a property be set to nothing: by the command `unset`, where the menu has it."""
        try:
            self._change("POST", f"{menu}/unset", {"numbers": item, "value-name": name})
        except RefusedError as refused:
            if not _is_no_menu(refused):
                raise
            self._change("PATCH", f"{menu}/{item}", {name: ""})

    def set_settings(self, menu: str, properties: Mapping[str, str]) -> None:
        """Set settings of a menu without rows: PATCH wants an id, so it is the command `set`."""
        self._change("POST", f"{menu}/set", dict(properties))

    def remove(self, menu: str, item: str) -> None:
        """Remove a row; one that is gone already is no error."""
        _or_none(_is_no_row, self._change, "DELETE", f"{menu}/{item}")

    def run(
        self, command: str, words: Mapping[str, str] | None = None, *, seconds: float = 30
    ) -> Any:
        return self.ask("POST", command, dict(words or {}), seconds=seconds + 10)

    def ready(self, seconds: float) -> Row:
        """Wait until it answers twice the same of itself; what it said of its resources.

        A device that starts answers for a moment with what belongs to another question
        (tikoci/routeros-skills, routeros-qemu-chr): one good answer is none.
        The error of the last try where `seconds` pass.  A refused password waits for nothing.
        """
        until = time.monotonic() + seconds
        before: tuple[Any, ...] | None = None
        while True:
            failed: PpslabError | None = None
            try:
                resource = self.settings("/system/resource")
                now = tuple(resource.get(key) for key in ("version", "board-name", "platform"))
                if None not in now and now == before:
                    return resource
                before = now if None not in now else None
            except (BackendError, CannotHereError) as error:
                failed, before = error, None
            if before is not None:
                continue
            if time.monotonic() + _PAUSE > until:
                break
            time.sleep(_PAUSE)
        if failed is not None:
            raise failed
        raise BackendError(
            f"{self.where} answers, but not as RouterOS does; perhaps it is still starting"
        )


def explained(refused: RefusedError) -> str:
    """RouterOS's words, and what to do where that is known."""
    if "device-mode" in refused.said:
        return f"{refused.said} (to allow it: {DEVICE_MODE}, then switch the device off and on)"
    if refused.said == CLOSED:
        return f"{refused.said} (RouterOS breaks off what takes longer than 60 s)"
    return refused.said


def _or_none(
    is_no: Callable[[RefusedError], bool], ask: Callable[..., Answer], *words: str
) -> Answer | None:
    """The answer; None where it is refused because what was asked for is not there."""
    try:
        return ask(*words)
    except RefusedError as refused:
        if is_no(refused):
            return None
        raise


def _is_no_menu(refused: RefusedError) -> bool:
    """[INF] 404, or 400 "no such command": a menu that the device, or its version, has not."""
    return refused.status == 404 or "no such command" in refused.said


def _is_no_row(refused: RefusedError) -> bool:
    return refused.status == 404 or "no such item" in refused.said


def _start(found: Any) -> str:
    return repr(found)[:80]


def _reason(data: Any) -> str:
    """Return RouterOS's reason in {"error": 400, "message": "Bad Request", "detail": ...}."""
    if not isinstance(data, dict):
        return ""
    return str(data.get("detail") or data.get("message") or "")
