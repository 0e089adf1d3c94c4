"""What a router's configuration was before we touched it, as its own /export prints it."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from ppslab.core.errors import CannotHereError
from ppslab.testbed.routers.devices import Ssh
from ppslab.testbed.routers.rest import RefusedError
from ppslab.testbed.routers.routeros.api import Api, explained
from ppslab.testbed.routers.routeros.rsc.values import HIDDEN, SECRETS

EXPORT = "/export"
KEPT = 10
"""Backups of a router: older ones go."""

_SECRET = re.compile(
    r"\b(" + "|".join(sorted(SECRETS)) + r')=("(?:[^"\\]|\\.)*"|(?:[^\s"\\]|\\.)+)'
)


def take(api: Api, folder: Path, name: str, via: Ssh | None) -> Path:
    """Write the configuration into a file of our own; where it is.

    Over SSH where that is told, else over REST.  CannotHereError where neither gives it.
    Secrets are left out, as RouterOS 7 leaves them out by itself: none of them is ever changed.
    """
    from ppslab.testbed.routers.routeros import ssh  # noqa: PLC0415  (its library takes a third of a second)

    text = ssh.run(api.device, via, EXPORT) if via is not None else _over_rest(api)
    # Whatever a version's /export says, it begins with a comment and has menus.
    if not re.search(r"^/\w", text, re.MULTILINE):
        raise CannotHereError(
            f"{api.where}: no backup, as {EXPORT} says {text.strip()[:80]!r}",
            "reach the device over SSH: ssh: {port: 22} in the inventory",
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = folder / f"{name}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.rsc"
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(without_secrets(text))
    for old in sorted(folder.glob(f"{name}.*.rsc"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return place


def without_secrets(text: str) -> str:
    """A configuration without the values of its secrets; a line that goes on keeps its end."""
    # An export breaks long lines in the middle of a value: `\` at the end, blanks in front.
    joined = re.sub(r"\\\n\s*", "", text)
    return _SECRET.sub(lambda found: f'{found[1]}="{HIDDEN}"', joined)


def _over_rest(api: Api) -> str:
    """[INF] the answer of /execute, {"ret": text}: the manual has the call, not the body."""
    try:
        answer = api.ask("POST", "/execute", {"script": EXPORT, "as-string": "yes"}, seconds=65)
    except RefusedError as refused:
        raise CannotHereError(
            f"{api.where}: no backup, as {EXPORT} over REST says: {explained(refused)}",
            "reach the device over SSH: ssh: {port: 22} in the inventory",
        ) from None
    found = answer[0] if isinstance(answer, list) and answer else answer
    return str(found.get("ret", "")) if isinstance(found, dict) else str(found)
