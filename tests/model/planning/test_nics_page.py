"""The planner on a page: its tables and numbers are the planner's, bad words are warnings."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ppslab.core.errors import PpslabError
from ppslab.course.site.directives import plans
from ppslab.model.planning.nics import grouping, servers
from ppslab.model.planning.nics.inventories import lstopo
from tests.course.site.small_site import Site

CHAPTER = Path(__file__).resolve().parents[3] / "book" / "whitebox"
PAGE = """# Front

```{ppslab-plan-nics} r730 nodes
```
```{ppslab-plan-nics} r730 bonds
:node: 0
```
```{ppslab-plan-nics} r730 warnings
```
```{ppslab-plan-nics} r730 libvirt
```
```{ppslab-plan-nics} pcie
```
```{ppslab-plan-nics} slots r730
```

{ppslab-plan-nics}`r730 share`, {ppslab-plan-nics}`link 2 8`, {ppslab-plan-nics}`socket E5-2650 v4`,
{ppslab-plan-nics}`memory 4 8`.
"""


@pytest.mark.long
def test_a_page_shows_the_plan(tmp_path: Path) -> None:
    page, warnings, _ = Site(tmp_path).build(PAGE)
    assert warnings == ""
    share = grouping.plan(lstopo.read(CHAPTER / "inventories" / "r730.xml")).crossing
    assert share is not None
    for said in (f">{share.share:.0%}</a>", ">32 Gbit/s</a>", ">153.6 Gbit/s</a>"):
        assert said in page
    assert "8 x 10 = 80 Gbit/s" in page
    assert "cputune" in page
    assert "(--node 1)" not in page  # the warnings are those of the chosen node 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("```{ppslab-plan-nics} r731 nodes\n```", "no inventory 'r731'"),
        ("```{ppslab-plan-nics} ../x nodes\n```", "without its ending"),
        ("```{ppslab-plan-nics} r730 libvrt\n```", 'did you mean "libvirt"'),
        ("```{ppslab-plan-nics} r730\n```", "which part"),
        ("{ppslab-plan-nics}`r730 shares`", "no word 'shares'"),
        ("{ppslab-plan-nics}`link 7 8`", "generation 7"),
        ("{ppslab-plan-nics}`speed`", "no such number"),
    ],
)
def test_what_is_no_plan_is_a_warning(tmp_path: Path, bad: str, said: str) -> None:
    _, warnings, _ = Site(tmp_path).build(f"# Front\n\n{bad}\n")
    assert said in warnings


def test_every_word_of_a_number_has_a_value() -> None:
    plan = grouping.plan(lstopo.read(CHAPTER / "inventories" / "r730.xml"))
    for word in "all ports bond share touching elsewhere guest-cpus guest-memory".split():
        assert plans.number_of(plan, word)
    with pytest.raises(PpslabError, match="no traffic between"):
        plans.number_of(
            grouping.plan(lstopo.read(CHAPTER / "inventories" / "cloud-machine.xml")), "all"
        )


def test_the_chapters_servers_are_those_that_the_planner_knows() -> None:
    rows = list(csv.DictReader((CHAPTER / "data" / "servers.csv").open(encoding="utf-8")))
    slots = {row["server"]: int(row["PCIe 3.0 cards"]) for row in rows}
    assert len(servers.load_slots()["Dell R730"]) == slots["Dell R730"] == 7
    used = (CHAPTER / "data" / "generators.csv").read_text(encoding="utf-8")
    for name in ("E5-2630 v3", "E5-2680 v3", "E5-2667 v4"):
        assert name in used
        assert name in servers.load_cpus()
