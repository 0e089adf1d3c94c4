"""RouterOS's REST interface as what it is to us: menus of rows, settings, commands.

Sources: MikroTik's manual (developer guides: REST API); which method does what, and its status,
as tikoci/centrs recorded it on CHR 7.23.2 and 7.24rc2; what terraform-provider-routeros sends.

[INF] marks what no real device has confirmed to us.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ppslab.core.errors import BackendError, CannotHereError, PpslabError, UsageError
from ppslab.core.processes import finished_first
from ppslab.testbed.routers.routeros.rest import RefusedError, Service

Row = dict[str, str]
Answer = TypeVar("Answer")

LONGEST = 55.0
"""Seconds: REST aborts commands that take longer than 60 (MikroTik's manual: REST API, timeout)."""

CHANGE_SECONDS = LONGEST + 10
"""So long a change is waited for: longer than RouterOS has for it, so that its outcome is known."""

CLOSED = "Session closed"
"""Its words then (terraform-provider-routeros, resource_actions.go)."""

LIST_SECONDS = 60.0

_PAUSE = 1.0
"""Between two looks at a device that starts."""

DEVICE_MODE = "/system/device-mode/update"


class Api(Service):
    """One device as menus of rows, settings and commands."""

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
        if seconds > LONGEST:
            raise UsageError(f"{command}: REST aborts commands that take longer than {LONGEST:g} s")
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
