"""The agent leaves the host: its own network, mounts and processes; as a user, its own root.

user_namespaces(7), pid_namespaces(7).
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.nodes import kernel

# UTS as well, although the name stays: the agent enters its nodes, and a user may not come back
# into a namespace of the host (setns(2)).
_OWN = kernel.CLONE_NEWNET | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWUTS
# Which setting forbids user namespaces, its forbidding value, and the one that allows them.
_SWITCHES = (
    ("kernel.unprivileged_userns_clone", "0", "1"),  # Debian before 11, and its derivatives
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu since 23.10
    ("user.max_user_namespaces", "0", "15000"),
    ("user.max_net_namespaces", "0", "15000"),
)
_SETTINGS = Path("/proc/sys")
OUTER_UID = os.geteuid()
"""The user that the host sees."""
_outer_network = -1


def outer_network() -> int:
    """A file of the network namespace that the agent was started in."""
    return _outer_network


def enter() -> bool:
    """Move this process into namespaces of its own; whether a user namespace was needed.

    The process that returns is a child, the first of a PID namespace; the one that was started
    waits for it and ends with its exit code. When either dies, so does all that they made.
    Raises CannotHereError with the command that allows it.
    """
    global _outer_network  # noqa: PLW0603
    _outer_network = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    user_namespace = not _as_root(_OWN)
    if user_namespace:
        _as_user(_OWN)
    else:
        _keep_mounts_private()
    alive, held = os.pipe()
    child = os.fork()
    if child:
        _wait(child, held)
    kernel.die_with_parent(signal.SIGKILL)
    # The parent may have died before that call: then nobody holds the pipe any more.
    os.close(held)
    os.set_blocking(alive, False)
    try:
        os.read(alive, 1)
        os._exit(1)
    except BlockingIOError:
        os.close(alive)
    return user_namespace


def enter_network() -> None:
    """Move this process into a network namespace of its own; as a user, as root of one.

    Raises CannotHereError with the command that allows it.
    """
    if not _as_root(kernel.CLONE_NEWNET):
        _as_user(kernel.CLONE_NEWNET)


def _as_root(own: int) -> bool:
    if OUTER_UID:
        return False
    try:
        kernel.unshare(own)
    except OSError:
        # Root of a container, without CAP_SYS_ADMIN, or with a limit (ENOSPC): what a user
        # may not do either is told there.
        return False
    return True


def _as_user(own: int) -> None:
    uid, gid = os.geteuid(), os.getegid()
    try:
        kernel.unshare(kernel.CLONE_NEWUSER | own)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
        if own & kernel.CLONE_NEWNS:
            _keep_mounts_private()
    except OSError as error:
        raise CannotHereError(
            f"this user may not create network namespaces here ({error})", remedy()
        ) from None


def _keep_mounts_private() -> None:
    """Mounts from now on are not visible outside: mount_namespaces(7), shared subtrees."""
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)


def remedy() -> str:
    """The command that allows user namespaces on this machine."""
    for name, forbids, allows in _SWITCHES:
        try:
            value = (_SETTINGS / name.replace(".", "/")).read_text().strip()
        except OSError:
            continue
        if value == forbids:
            return f"sudo sysctl -w {name}={allows}"
    return "run it as root, or with --backend vm, which needs neither"


def _wait(child: int, held: int) -> NoReturn:
    """Keep nothing but stderr and the pipe, wait for the agent proper, end as it did."""
    os.closerange(0, 2)
    os.closerange(3, held)
    os.closerange(held + 1, os.sysconf("SC_OPEN_MAX"))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)
