"""Debian's Firefox by WebDriver BiDi, which it speaks itself.

https://www.w3.org/TR/webdriver-bidi/
Debian has no geckodriver, and Playwright asks for commands that the extended support release does
not know yet.  What the tests need of the protocol is this small.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from websocket import WebSocket, create_connection

from tests.support.waiting import PATIENCE
from tests.system.browser.network import Network

# What keeps Firefox from asking its maker for news, lists and updates.
PREFERENCES = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.region.network.url": "",
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


class Firefox:
    """A Firefox without a window, in a network of its own; it ends with `with`."""

    def __init__(self, program: str, network: Network, profile: Path) -> None:
        lines = [f'user_pref("{name}", {json.dumps(v)});' for name, v in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self._command = network.argv(
            program, "--headless", "--no-remote", "--profile", str(profile),
            "--remote-debugging-port", "0",
        )  # fmt: skip
        self._network = network
        self._numbers = itertools.count(1)
        self.asked: list[str] = []
        self.wrong: list[str] = []

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stderr
        for line in self._process.stderr:
            found = re.search(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d+)", line)
            if found:
                break
        else:
            raise AssertionError("Firefox ended before it listened")
        # Nobody else reads it, and a full pipe would stop Firefox.
        threading.Thread(target=self._process.stderr.read, daemon=True).start()
        self._stack = ExitStack()
        port = int(found[1])
        self._socket: WebSocket = create_connection(
            f"ws://127.0.0.1:{port}/session",
            socket=self._stack.enter_context(self._network.connection(port)),
            timeout=PATIENCE,
            suppress_origin=True,
        )
        self._command_of("session.new", {"capabilities": {}})
        self._command_of(
            "session.subscribe",
            {"events": ["log.entryAdded", "network.beforeRequestSent", "network.fetchError",
                        "network.responseCompleted"]},
        )  # fmt: skip
        (first, *_) = self._command_of("browsingContext.getTree", {})["contexts"]
        self._context = first["context"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._stack.close()
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)

    def _command_of(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                assert message["type"] == "success", message
                return dict(message["result"])
            self._noted(message)

    def _noted(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        url = params.get("request", {}).get("url", "")
        match message.get("method"):
            case "network.beforeRequestSent":
                self.asked.append(url)
            case "network.fetchError":
                self.wrong.append(f"{params['errorText']}: {url}")
            case "network.responseCompleted" if params["response"]["status"] >= 400:
                self.wrong.append(f"{params['response']['status']}: {url}")
            case "log.entryAdded" if params["level"] in ("error", "warn"):
                self.wrong.append(f"{params['level']}: {params['text']}")

    def open(self, address: str) -> None:
        """Open a page, and wait until it is loaded; what was noted of the one before is gone."""
        # Once left, the page before asks no more: it was still fetching its successor ahead.
        self._navigate("about:blank")
        self.asked.clear()
        self.wrong.clear()
        self._navigate(address)

    def _navigate(self, address: str) -> None:
        self._command_of(
            "browsingContext.navigate",
            {"context": self._context, "url": address, "wait": "complete"},
        )

    def evaluate(self, function: str, *arguments: Any) -> Any:
        """Call a JavaScript function in the page with JSON arguments; what it gives, as JSON."""
        given = ", ".join(json.dumps(one) for one in arguments)
        said = self._command_of(
            "script.evaluate",
            {
                "expression": f"(async () => JSON.stringify(await ({function})({given})))()",
                "target": {"context": self._context},
                "awaitPromise": True,
            },
        )
        assert said["type"] == "success", said["exceptionDetails"]["text"]
        return json.loads(said["result"].get("value", "null"))
