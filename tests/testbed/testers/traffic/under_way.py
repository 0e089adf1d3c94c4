"""ppstraffic in the middle of its trial, and ended."""

from __future__ import annotations

import json
import subprocess

from tests.support.waiting import PATIENCE, until
from tests.testbed.testers.traffic.cable import Namespace


def started(namespace: Namespace, argv: list[str]) -> subprocess.Popen[str]:
    """ppstraffic in the middle of its trial: a hundred frames have left t1."""
    before = sent(namespace)
    running = subprocess.Popen(
        namespace.argv(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(
        lambda: sent(namespace) >= before + 100 or running.poll() is not None,
        "a hundred frames from t1",
    )
    return running


def sent(namespace: Namespace) -> int:
    """How many frames the kernel has sent from t1."""
    (port,) = json.loads(namespace.run("ip", "-s", "-j", "link", "show", "t1").stdout)
    return int(port["stats64"]["tx"]["packets"])


def ended(running: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        out, err = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
    return subprocess.CompletedProcess(running.args, running.returncode, out, err)
