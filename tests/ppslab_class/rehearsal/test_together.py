"""Learners that learn at once: what ends them, and that Ctrl-C prints nothing about them."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from ppslab.base.errors import CannotHereError
from ppslab_class.rehearsal import together
from tests.support.waiting import PATIENCE

ENDLESS = """
import asyncio, os, signal
from ppslab_class.rehearsal import together

async def learn():
    await asyncio.Event().wait()

async def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    await learn()

async def rehearse():
    await together.learn([learn(), learn()], asyncio.create_task(interrupt()))

try:
    asyncio.run(rehearse())
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_ends_all_and_prints_nothing_about_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


async def _endless(ended: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("learner")


async def _lost() -> None:
    await asyncio.sleep(0)
    raise CannotHereError("the server ended")


def test_learners_end_with_the_watch_and_its_reason_is_told() -> None:
    ended: list[str] = []

    async def rehearse() -> None:
        await together.learn([_endless(ended), _endless(ended)], asyncio.create_task(_lost()))

    with pytest.raises(CannotHereError, match="the server ended"):
        asyncio.run(rehearse())
    assert ended == ["learner", "learner"]


def test_the_watch_ends_when_all_have_learned() -> None:
    ended: list[str] = []

    async def rehearse() -> bool:
        watch = asyncio.create_task(_endless(ended))
        await together.learn([asyncio.sleep(0), asyncio.sleep(0)], watch)
        return watch.cancelled()

    assert asyncio.run(rehearse()) and ended == ["learner"]
