"""What a page says without a record, and of a lab that failed, or cannot be judged or read."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.text.grouping import APART
from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.results import failures
from ppslab.model.results.kinds import Failure
from tests.course.site.small_site import EVERY, Site
from tests.support import made
from tests.support.factory import make_record


@pytest.mark.long
def test_without_a_record_pages_say_so_and_the_build_goes_on(site: Site) -> None:
    page, warnings, _ = site.build()
    assert warnings == ""
    assert f"1{APART}170{APART}641 pps" in page


@pytest.mark.long
def test_a_page_says_that_its_newest_measurement_failed(site: Site) -> None:
    record = site.record()
    failed = Failure(
        schema="ppslab/failure/1", command="run", lab="fastpath",
        when=record.started + timedelta(days=1), exit_code=1,
        reason="the tester alone: <b>no</b> valid trial", to_do="make book",
    )  # fmt: skip
    failures.keep(failed)
    failures.keep(failed.model_copy(update={"lab": "pppoe", "reason": "no pppd"}))
    site.page("more", "# More\n\n```{ppslab-table} costs fastpath\n```\n")
    front, warnings, _ = site.build("# Front\n\nText.\n")
    assert warnings == ""
    assert all(each in front for each in ("fastpath", "pppoe", "no pppd"))
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert "no pppd" not in more
    assert f"{failed.when:%Y-%m-%d %H:%M} UTC" in more
    assert f"{record.started:%Y-%m-%d %H:%M} UTC" in more
    assert "&lt;b&gt;no&lt;/b&gt; valid trial" in more
    assert made.says(more, record.provenance().sentence)


def _unjudgeable(record: results.Record) -> results.Record:
    """A record that is read, and cannot be judged: its clock is one that nobody read."""
    trials = tuple(
        each.model_copy(update={"counts": {**each.counts, "send_cpu_seconds": None}})
        for each in record.trials
        if each.counts
    )
    return record.model_copy(update={"trials": trials, "clock": "cpu"})


@pytest.mark.long
def test_a_lab_that_cannot_be_judged_is_told_and_the_site_is_built(site: Site) -> None:
    """Its page says why, the other labs have their verdicts, and the build has a warning."""
    record = _unjudgeable(make_record())
    results.save(record, site.results / "fastpath-20260102T030405Z-namespaces.json")
    results.load(site.results / "fastpath-20260102T030405Z-namespaces.json")
    pages = "```{ppslab-table} scoreboard all\n```\n\n```{ppslab-table} verdicts all\n```\n"
    site.page("more", "# More\n\n```{ppslab-table} claims eoip\n```\n")
    page, warnings, _ = site.build(f"{EVERY}\n{pages}")
    assert "no CPU time (parts.py" in page
    assert "fastpath" in warnings and "claim " in warnings
    (claim, *_) = claims.load(lab.find("eoip"))
    assert f'id="claim-eoip-{claim.id}"' in page
    assert 'id="claim-fastpath-' not in page
    # A page that shows nothing of the lab has nothing to tell of it.
    assert "TypeError" not in (site.out / "book/more.html").read_text()


@pytest.mark.long
def test_a_lab_that_cannot_be_read_is_left_out_and_its_page_says_why(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of all labs and of another one are whole; the build ends with the reason."""
    checkout, here = tmp_path / "checkout", paths.project_root()
    (checkout / "labs/pppoe").mkdir(parents=True)
    others = [here / "labs" / name for name in lab.names() if name != "pppoe"]
    for each in (*others, here / "topologies", here / "book"):
        (checkout / each.relative_to(here)).symlink_to(each)
    (checkout / "labs/pppoe/lab.yml").write_text("title: PPPoE\nconditions: [\n")
    (checkout / "_toc.yml").write_text("")
    monkeypatch.setenv("PPSLAB_ROOT", str(checkout))
    record = site.record()
    older = record.model_copy(update={"lab": "pppoe"})
    results.save(older, site.results / "pppoe-20260102T030405Z-namespaces.json")
    failed = Failure(
        schema="ppslab/failure/1", command="run", lab="pppoe", when=record.started, exit_code=2,
        reason="lab.yml is wrong", to_do="make book",
    )  # fmt: skip
    failures.keep(failed)
    site.page("more", "# More\n\n```{ppslab-table} costs fastpath\n```\n")
    (site.source / "book/pppoe").mkdir()
    alone = "---\norphan: true\n---\n"
    site.page("pppoe/index", f"{alone}# PPPoE\n\n```{{ppslab-table}} costs pppoe\n```\n")
    tables = ("verdicts all", "scoreboard all", "runs", "router-labs")
    every = "\n".join(f"```{{ppslab-table}} {view}\n```" for view in tables)
    every += "\n```{ppslab-list} labs\n```\n"
    page, warnings, _ = site.build(f"# Front\n\n{every}")
    wrong = re.compile(r"labs/pppoe/lab\.yml:\d+: ")
    # The front page's list leads to chapters that this small site has not.
    told = [line for line in warnings.splitlines() if "xref_missing" not in line]
    assert [line for line in told if not wrong.search(line)] == []
    assert wrong.search(warnings)
    assert lab.find("fastpath").title in page and 'id="claim-fastpath-' in page
    chapter = html.unescape((site.out / "book/pppoe/index.html").read_text(encoding="utf-8"))
    assert wrong.search(chapter)
    assert f"{record.started:%Y-%m-%d %H:%M} UTC" in chapter
    # That its measurement failed too has the same reason, and no numbers are shown.
    assert "lab.yml is wrong" not in chapter
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert not wrong.search(more) and made.says(more, record.provenance().sentence)
