"""The planner on a page: its tables and numbers are the planner's, bad words are warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.site.small_site import Site

PAGE = """# Front

```{ppslab-plan-nics} r730 nodes
```
```{ppslab-plan-nics} r730 bonds
:node: 0
```
```{ppslab-plan-nics} r730 libvirt
```
```{ppslab-plan-nics} pcie
```
```{ppslab-plan-nics} slots r730
```

{ppslab-plan-nics}`r730 bond`, {ppslab-plan-nics}`link 2 8`, {ppslab-plan-nics}`socket E5-2650 v4`.
"""


@pytest.mark.long
def test_a_page_shows_the_plan(tmp_path: Path) -> None:
    page, warnings, _ = Site(tmp_path).build(PAGE)
    assert warnings == ""
    for said in (">80 Gbit/s</a>", ">32 Gbit/s</a>", ">153.6 Gbit/s</a>"):
        assert said in page
    assert "8 x 10 = 80 Gbit/s" in page
    assert "cputune" in page
