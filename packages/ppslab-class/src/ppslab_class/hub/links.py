"""Whether a seat can make a link, tried as a seat does it: by an ordinary user.

That a user may make namespaces says little: Ubuntu 24.04 lets everybody unshare, and then refuses
`ip link add` in there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Final

from ppslab.backends import capabilities
from ppslab.backends.nodes import isolation
from ppslab_class.readiness import Point

WHAT: Final = "links of a seat"
NOBODY: Final = "65534"
"""A user without rights, like the one that systemd makes for a seat; Debian calls it nobody."""

PATHS: Final = "/usr/local/sbin:/usr/sbin:/sbin"
PROGRAMS: Final = {"setpriv": "util-linux", "unshare": "util-linux", "ip": "iproute2"}
"""By what Debian packs them in."""

SECONDS: Final = 30
APART: Final = ("unshare", "--user", "--map-root-user", "--net")
LINK: Final = "ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up"


def point() -> Point:
    """Make a link in namespaces that end with the command that makes them, as a seat's user."""
    path = f"{os.environ.get('PATH', '')}:{PATHS}"
    for program, package in PROGRAMS.items():
        if shutil.which(program, path=path) is None:
            return _none(f"{program} is not installed", f"apt-get install {package}")
    # A seat's user is another than root, and NoNewPrivileges= keeps it that.
    user = ["setpriv", "--no-new-privs"]
    if os.geteuid() == 0:
        user += ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    if told := _refused((*user, *APART, "true"), path):
        return _none(f"a seat's user may not make namespaces: {told}", isolation.remedy())
    if told := _refused((*user, *APART, "sh", "-ec", LINK), path):
        remedy = (
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), "
            "or sudo modprobe veth"
        )
        return _none(f"a seat's user makes namespaces, and no link in them: {told}", remedy)
    return Point(WHAT, "ready", "a veth pair was made, as a seat's user makes it")


def _none(found: str, remedy: str) -> Point:
    """No link: labs then need a guest, which has a kernel of its own."""
    if capabilities.usable("vm").usable:
        return Point(
            WHAT, "warning", f"{found}; labs run in a guest there, which is slower", remedy
        )
    return Point(WHAT, "missing", f"{found}; and no guest runs here either", remedy)


def _refused(words: Sequence[str], path: str) -> str:
    """What a command said last as it failed; empty where it did not fail."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=SECONDS,
            stdin=subprocess.DEVNULL, cwd="/", env={**os.environ, "PATH": path},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{words[0]} did not end in {SECONDS} s"
    if not done.returncode:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
