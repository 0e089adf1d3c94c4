"""Chromium, and pages of a class opened in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.system.browser.conftest import chromium
from tests.system.browser.visits import Visit


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium in this machine's network, where the class is served."""
    with chromium() as begun:
        yield begun


@pytest.fixture
def opened(browser: Any, request: pytest.FixtureRequest) -> Callable[[str], Visit]:
    def open_page(address: str) -> Visit:
        context = browser.new_context()
        request.addfinalizer(context.close)
        made = Visit(context.new_page())
        made.listen()
        made.page.goto(address)
        return made

    return open_page
