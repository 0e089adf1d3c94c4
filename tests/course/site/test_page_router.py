"""The place of the router in the page, in a build of the site that has none."""

from __future__ import annotations

import pytest

from ppslab.core import paths
from ppslab.course.site.directives import page_router
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long

PAGE = """# A page

```{page-router} fastpath-tcp

Press the button to boot it.
```
"""


def test_without_a_router_nothing_asks_for_its_button(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_router, "SOURCES", paths.project_root() / page_router.SOURCES)
    shown, warnings, _ = site.build(PAGE)
    assert "ppslab-router-missing" in shown, warnings
    assert "Press the button" not in shown
    assert not warnings
