"""An answer changes with the commands behind its export; a changed line has its source."""

from __future__ import annotations

import pytest

from ppslab.course.site.directives import changes
from rosexplain.base import rules
from rosexplain.remedy import ASTRAY
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long

EXPORT = "packages/rosexplain/examples/two-wans.rsc"


@pytest.mark.parametrize(
    ("files", "astray"),
    [
        (EXPORT, True),
        (f"{EXPORT} book/wans/no-mark.rsc", False),
        (f"{EXPORT} book/wans/rule.rsc book/wans/rule-kept-out.rsc", False),
        (f"{EXPORT} book/wans/ecmp.rsc", False),
    ],
)
def test_a_remedy_ends_the_warning_of_two_providers(site: Site, files: str, astray: bool) -> None:
    page, warnings, _ = site.build(f"# Front\n\n```{{ppslab-explained}} {files}\n```\n")
    assert warnings == ""
    assert "LAN to WAN" in page
    shown = " ".join(page.split())
    assert any(rules()[name]["decides"].rstrip(".") in shown for name in ASTRAY) == astray


def test_every_changed_line_has_its_version_and_its_source(site: Site) -> None:
    page, warnings, _ = site.build("# Front\n\n```{ppslab-list} changes\n```\n")
    assert warnings == ""
    known = changes.load()
    numbers = [numbers_of(each.version) for each in known.changes]
    assert numbers == sorted(numbers)
    assert all(each.where in page for each in known.changes)
    # Nothing is listed of a version that the page does not say was read.
    read = {each.version for each in (known.until, *known.begun)}
    until = numbers_of(known.until.version)
    newer = {each.version for each in known.changes if numbers_of(each.version) > until}
    assert newer <= read
    shown = " ".join(page.split())
    assert all(each.named in shown for each in (known.until, *known.begun))


def numbers_of(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
