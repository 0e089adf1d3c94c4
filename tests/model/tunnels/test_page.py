"""The directives and the role that calculate a page's numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import sphinx_site

GOOD = """# Tunnels

```{ppslab-overhead} eoip
```
```{ppslab-overhead} eoip ipsec
:show: parts
```
```{ppslab-overhead} gre
:show: limits
```
```{ppslab-overhead}
eoip
gre ipsec
```

L {ppslab-overhead}`largest 1500 eoip`, A {ppslab-overhead}`added 1500 eoip`,
M {ppslab-overhead}`mss 1500 eoip`, I {ppslab-overhead}`inside 1500 1500 eoip`,
B {ppslab-overhead}`bridged 1500 1500 eoip`, F {ppslab-overhead}`frames 1542 1500 eoip`.
"""

BAD = """# Tunnels

```{ppslab-overhead} eop
```
```{ppslab-overhead} eoip
:show: all
```
```{ppslab-overhead}
```

{ppslab-overhead}`largest 1500` {ppslab-overhead}`biggest 1500 eoip`
{ppslab-overhead}`largest many eoip`
"""


def test_numbers_are_calculated_where_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    page, warnings = sphinx_site.page(tmp_path, GOOD)
    assert warnings == ""
    text = re.sub(r"<[^>]+>", "", page)
    assert "L 1458, A 42,\nM 1418, I 1452 and 68,\nB 1500 and 62, F 1." in text
    assert page.count('<table class="ppslab-table') == 4


def test_bad_words_are_warnings_with_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    _, warnings = sphinx_site.page(tmp_path, BAD)
    for said in (
        "did you mean", "there are parts, limits, ways", "one stack per line",
        "at least one layer", "no such number", "invalid literal",
    ):  # fmt: skip
        assert said in warnings, said
