"""Speaking to a device over HTTP: its answers as plain data, its failures as our errors."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from ppslab.core.documents import disk
from ppslab.core.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.model.lab.machine import Machine, plug
from ppslab.testbed.backends import Node
from ppslab.testbed.routers.devices import Device

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


def said_of(data: Any) -> str:
    """Return RouterOS's reason in {"error": 400, "message": "Bad Request", "detail": ...}."""
    if not isinstance(data, dict):
        return ""
    return str(data.get("detail") or data.get("message") or "")


class Service:
    """A device's HTTP interface.  It connects with its first request, not before.

    `what` names it in messages; `said` takes what it says of a failure out of its JSON; `remedy`:
    what to do where nobody answers; `login`: where it lets nobody in.
    """

    def __init__(
        self,
        what: str,
        device: Device,
        *,
        said: Callable[[Any], str],
        auth: tuple[str, str] | None = None,
        path: str = "",
        remedy: str = "",
        login: str = "",
    ) -> None:
        self.what = what
        self._device = device
        self._said = said
        self._auth = auth
        self._path = path
        self._remedy = remedy
        self._login = login
        self._client: httpx.Client | None = None

    def ask(
        self, method: str, path: str, body: Any = None, *, seconds: float = ANSWER_SECONDS
    ) -> Any:
        """Ask, and return the answer; None where it is empty.

        CannotHereError where nobody answers; UsageError where it does not let us in; RefusedError
        where it refuses; BackendError where it does not answer within `seconds`, or with no JSON.
        """
        where = f"{self.what} at {self._device.url}"
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
            why = self._said(data) or answer.reason_phrase
            raise RefusedError(f"{where}: {method} {path}", answer.status_code, why)
        return data

    def _answer(self, method: str, path: str, body: Any, seconds: float) -> httpx.Response:
        """The whole answer, bounded in size and time: a device may send without end, and slowly."""
        ends = time.monotonic() + seconds
        with self._open().stream(
            method,
            f"{self._path}{path}",
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
        if self._auth and self._auth[1] and self._device.in_clear:
            raise UsageError(
                f"{self._device.url} would send the password of {self._auth[0]} unencrypted: use "
                "https:// (/ip/service: www-ssl), or, on a cable that only you use, set "
                "plain_http: true in the inventory"
            )
        if self._client is None:
            # No proxy of the environment: a device stands in the lab.
            self._client = httpx.Client(
                base_url=self._device.url, auth=self._auth, verify=self._verify(), trust_env=False
            )
        return self._client

    def _verify(self) -> ssl.SSLContext | bool:
        if not self._device.url.startswith("https:"):
            # Reads no certificates, which takes longer than many a request, and trusts nobody.
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if isinstance(self._device.verify, bool):
            return self._device.verify
        try:
            return ssl.create_default_context(cafile=self._device.verify)
        except (OSError, ssl.SSLError) as error:
            raise FileError(self._device.verify, None, f"no CA file: {error}") from None

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


_MACHINE = """echo '## lscpu'; lscpu
echo '## distances'; cat /sys/devices/system/node/node*/distance
echo '## cpus'; cat /sys/devices/system/node/node*/cpulist
echo '## interrupts'; grep -E 'CPU|virtio[0-9]*-(in|out)put' /proc/interrupts
"""
_CARD = """echo '## {port} numa_node'; cat /sys/class/net/{port}/device/../numa_node
echo '## {port} local_cpulist'; cat /sys/class/net/{port}/device/../local_cpulist
echo '## {port} driver'; ethtool -i {port}
echo '## {port} channels'; ethtool -l {port}
echo '## {port} rings'; ethtool -g {port}
"""


def shown(node: Node, ports: Sequence[str]) -> dict[str, str]:
    """The answers of the router's node by heading, such as `lscpu` or `eth1 numa_node`."""
    script = _MACHINE + "".join(_CARD.format(port=port) for port in ports)
    answer = node.run(["sh"], input=script).stdout
    printed: dict[str, str] = {}
    heading = ""
    for line in answer.splitlines():
        if line.startswith("## "):
            heading = line[3:]
            printed[heading] = ""
        else:
            printed[heading] += f"{line}\n"
    return printed


def built(machine: Machine) -> dict[str, Any]:
    """The machine as it was ordered: its words, and the slot of every card."""
    return {
        **machine.model_dump(mode="json"),
        "slots": {
            f"{each.topology} {each.end.node}:{each.end.interface}": each.port
            for each in plug(machine)
        },
    }
