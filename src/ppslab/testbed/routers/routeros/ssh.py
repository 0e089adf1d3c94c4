"""A command on a RouterOS device over SSH: for what its REST interface lacks.

That is /export above all, whose text is the backup that a run takes before it changes anything.
The console's output is the answer; RouterOS gives a failed command no exit status that says so.
"""

from __future__ import annotations

import base64
import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import paramiko

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.testbed.routers.devices import RouterOS, Ssh

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECT_SECONDS = 10.0
CONSOLE = "+cet"
"""After the user's name: no colours, no detection of the terminal (manual: console login)."""


class _OnlyThis(paramiko.MissingHostKeyPolicy):
    """Takes the key that has the fingerprint, and no other; none where no fingerprint is given."""

    def __init__(self, pinned: str | None, where: str) -> None:
        self.pinned = pinned
        self.where = where

    def missing_host_key(
        self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey
    ) -> None:
        found = fingerprint(key)
        if self.pinned is None:
            raise UsageError(
                f"{self.where} has an unknown host key: {found}; compare it "
                "with the key of the device, then set ssh.host_key to it, or log in once with ssh"
            )
        if found != self.pinned:
            raise UsageError(
                f"{self.where} has the host key {found}, not {self.pinned}: this is another "
                "device, or somebody intercepts the connection; check, then change ssh.host_key"
            )


def fingerprint(key: paramiko.PKey) -> str:
    """As ssh-keygen prints it."""
    digest = base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode()
    return f"SHA256:{digest.rstrip('=')}"


def run(device: RouterOS, ssh: Ssh, command: str, *, seconds: float = 60.0) -> str:
    """Run one command and return what the console prints.

    CannotHereError where nobody answers; UsageError where the host key is another one or the
    device refused the login; BackendError where it does not end within `seconds`.
    """
    where = f"SSH of RouterOS at {urlsplit(device.url).hostname}"
    with _connected(device, ssh, where) as client:
        try:
            _, out, _ = client.exec_command(command, timeout=seconds)
            return out.read().decode(errors="replace").replace("\r\n", "\n")
        except (paramiko.SSHException, OSError) as error:
            said = str(error) or f"no answer within {seconds:g} s"
            raise BackendError(f"{where}: {command}: {said}") from None


@contextmanager
def _connected(device: RouterOS, ssh: Ssh, where: str) -> Iterator[paramiko.SSHClient]:
    host = urlsplit(device.url).hostname or ""
    client = paramiko.SSHClient()
    if ssh.host_key is None:
        client.load_system_host_keys()
    client.set_missing_host_key_policy(_OnlyThis(ssh.host_key, where))
    password = device.password.get_secret_value() if device.password else ""
    try:
        client.connect(
            host,
            port=ssh.port,
            username=f"{device.user}{CONSOLE}",
            password=password,
            timeout=CONNECT_SECONDS,
            banner_timeout=CONNECT_SECONDS,
            auth_timeout=CONNECT_SECONDS,
            # A key of this user is nobody's business here, and each that is tried counts as one.
            allow_agent=False,
            look_for_keys=False,
        )
    except paramiko.AuthenticationException:
        raise UsageError(f"{where} refuses this user or password") from None
    except paramiko.BadHostKeyException as error:
        raise UsageError(f"{where} has another host key than ~/.ssh/known_hosts: {error}") from None
    except (paramiko.SSHException, OSError) as error:
        raise CannotHereError(
            f"no {where} answers: {error}", "check ssh.port, and /ip/service ssh on the device"
        ) from None
    else:
        yield client
    finally:
        client.close()
