"""A condition with rules, and whether a router's journal was left clean."""

from __future__ import annotations

from pathlib import Path

from tests.testbed.routers.conftest import PASSWORD

RULES = "routing-13-rules"


def is_clean(tmp_path: Path) -> bool:
    """No file of ours is left, and none has the password."""
    assert not any(PASSWORD in file.read_text() for file in tmp_path.glob("**/*") if file.is_file())
    return not (tmp_path / "router.journal").exists()
