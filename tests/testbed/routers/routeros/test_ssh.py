"""What REST lacks comes over SSH: against a server of paramiko's, which is no RouterOS."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest
from pydantic import SecretStr

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import router as routers
from ppslab.testbed.routers.routeros import ssh
from ppslab.testbed.routers.routeros.ssh import Ssh
from tests.support.doubles.routeros_rest import Device
from tests.testbed.routers.conftest import PASSWORD, Make

EXPORT = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# system id = 7WwsTkLUKQG
/interface ethernet
set [ find default-name=ether1 ] comment="the way in"
/ppp secret
add name=somebody password="hunter \\"2\\"" \\
    service=pppoe
/interface wireguard
add name=wg0 private-key=\\
    "abcdefgh="
"""


class Console(paramiko.ServerInterface):
    """A server that takes one password, and answers /export."""

    def __init__(self) -> None:
        self.users: list[str] = []
        self.key = paramiko.RSAKey.generate(2048)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.pinned = Ssh(port=self.port, host_key=ssh.fingerprint(self.key))
        self.transports: list[paramiko.Transport] = []

    def serve(self) -> None:
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            transport = paramiko.Transport(client)
            transport.add_server_key(self.key)
            transport.start_server(event=threading.Event(), server=self)
            self.transports.append(transport)

    def check_auth_password(self, username: str, password: str) -> int:
        self.users.append(username)
        good = password == PASSWORD
        return paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED

    def get_allowed_auths(self, username: str) -> str:
        return "password"

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        def reply() -> None:
            channel.sendall(EXPORT.replace("\n", "\r\n").encode())
            channel.send_exit_status(0)
            channel.close()

        threading.Timer(0.02, reply).start()
        return command == b"/export"


@pytest.fixture
def listening() -> Iterator[Console]:
    console = Console()
    threading.Thread(target=console.serve, daemon=True).start()
    yield console
    console.socket.shutdown(socket.SHUT_RDWR)  # or accept() goes on waiting
    console.socket.close()
    for transport in console.transports:
        transport.close()


def login(password: str = PASSWORD) -> RouterOS:
    return RouterOS(url="http://127.0.0.1:80", password=SecretStr(password))


@pytest.mark.parametrize("pinned", [True, False])
def test_another_host_key_is_refused_before_the_password_is_sent(
    listening: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pinned: bool
) -> None:
    """Neither one that is not the pinned one nor one that nobody has looked at."""
    monkeypatch.setenv("HOME", str(tmp_path))
    other = ssh.fingerprint(paramiko.RSAKey.generate(2048)) if pinned else None
    with pytest.raises(UsageError) as told:
        ssh.run(login(), Ssh(port=listening.port, host_key=other), "/export")
    assert ssh.fingerprint(listening.key) in str(told.value)
    assert listening.users == []


def test_a_key_of_known_hosts_is_taken(
    listening: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    line = f"[127.0.0.1]:{listening.port} {listening.key.get_name()} {listening.key.get_base64()}\n"
    (tmp_path / ".ssh" / "known_hosts").write_text(line)
    assert ssh.run(login(), Ssh(port=listening.port), "/export") == EXPORT


def test_a_wrong_password_and_nobody_at_all(listening: Console) -> None:
    with pytest.raises(UsageError) as told:
        ssh.run(login("wrong horse"), listening.pinned, "/export")
    assert "wrong horse" not in str(told.value)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(CannotHereError, match=r"127\.0\.0\.1"):
        ssh.run(login(), Ssh(port=port), "/export")


def test_a_backup_is_taken_first_and_has_no_secret(
    listening: Console, make: Make, fastpath: Lab, tmp_path: Path, device: Device
) -> None:
    with make(backup=True, ssh=listening.pinned) as router:
        (place,) = tmp_path.glob("router.*.rsc")
        assert str(place) in " ".join(router.notes)
        assert not [m for m, _, _ in device.requests if m != "GET"], "something came before it"
    text = place.read_text()
    assert 'comment="the way in"' in text
    assert 'password="(hidden)" service=pppoe' in text
    assert 'private-key="(hidden)"' in text
    assert "hunter" not in text and "abcdefgh" not in text
    assert place.stat().st_mode & 0o777 == 0o600


def test_without_a_backup_nothing_is_done(make: Make, device: Device, tmp_path: Path) -> None:
    device.fault("refuses", "/execute", detail="not enough permissions (9)")
    with pytest.raises(CannotHereError) as told:
        make(backup=True).open()
    assert "not enough permissions (9)" in str(told.value)
    assert "ssh" in told.value.remedy
    assert not list(tmp_path.glob("*"))


def test_ten_backups_are_kept(make: Make, tmp_path: Path) -> None:
    for number in range(routers.BACKUPS + 2):
        (tmp_path / f"router.2026010{number:02d}T000000.rsc").write_text("/ip\n")
    with make(backup=True):
        pass
    assert len(list(tmp_path.iterdir())) == routers.BACKUPS
