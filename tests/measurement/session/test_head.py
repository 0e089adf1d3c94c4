"""The head of a record."""

from __future__ import annotations

import subprocess

import pytest

from ppslab.measurement.session import head


@pytest.mark.parametrize("error", [FileNotFoundError("git"), subprocess.TimeoutExpired("git", 60)])
def test_a_commit_that_git_does_not_tell_ends_no_run(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """It is asked when everything has been measured."""

    def run(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        raise error

    monkeypatch.setattr(head.subprocess, "run", run)
    assert head.commit() == ""
