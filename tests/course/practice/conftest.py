"""The tests of one exercise run one after another."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests of this folder by their exercise.

    The model keeps what it asked of the last router: asked in turn with other routers, in each of
    six tests, every router was probed six times.
    """
    places = [place for place, item in enumerate(items) if item.path.parent == HERE]
    ours = sorted((items[place] for place in places), key=_exercise)
    for place, item in zip(places, ours, strict=True):
        items[place] = item


def _exercise(item: pytest.Item) -> str:
    """The exercise that a test is about; empty for a test of all or none of them."""
    called = getattr(item, "callspec", None)
    return str(called.params.get("name", "")) if called else ""
