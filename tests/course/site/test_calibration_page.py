"""The page that shows a calibration: the newest one, or what would make one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.model import results
from tests.course.site.small_site import Site
from tests.support import made
from tests.support.calibration_factory import make_calibration

PAGE = "# Front\n\n```{ppslab-table} calibration\n```\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    yield Site(tmp_path)


def keep(site: Site, stamp: str, **words: object) -> results.CalibrationRecord:
    record = make_calibration(stamp=stamp, **words)
    results.save(record, site.results / f"calibration-ppstraffic-{stamp}-namespaces.json")
    return record


@pytest.mark.long
def test_a_page_shows_the_newest_completed_calibration(site: Site) -> None:
    keep(site, "20261101T000000Z")
    record = keep(site, "20261102T000000Z")
    keep(site, "20261103T000000Z", state="aborted")
    page, warnings, _ = site.build(PAGE)
    assert warnings == ""
    (said,) = made.said(page)
    assert record.provenance().sentence in said
    assert "1000 [900, 1000] kpps" in page.replace("\N{NO-BREAK SPACE}", " ")
    assert "Send jitter" in page
    assert "at least 1.5 Mpps" in page


@pytest.mark.long
def test_a_newer_calibration_makes_the_page_anew_and_no_other(site: Site) -> None:
    keep(site, "20261101T000000Z")
    site.build(PAGE)
    _, _, read = site.build(PAGE)
    assert read == set()
    newer = keep(site, "20261102T000000Z")
    page, _, read = site.build(PAGE)
    assert "book/index" in read
    assert "book/more" not in read
    assert made.says(page, newer.provenance().sentence)
