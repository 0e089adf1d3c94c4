"""Directives: numbers from the newest record, a note without one, a warning for bad words."""

from __future__ import annotations

import html
import io
import os
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from ppslab import results
from ppslab.analysis import claims, costs, outcome
from ppslab.analysis.systems import OPEN, need
from ppslab.base import paths
from ppslab.base.text.grouping import APART
from ppslab.base.text.tables import for_readers
from ppslab.course.site.directives.frame.offline import external_addresses
from ppslab.lab import lab
from ppslab.presentation import record_tables
from ppslab.results import failures
from ppslab.results.kinds.failure import Failure
from tests.presentation import words
from tests.support import made
from tests.support.factory import make_record

CONFIG = """
extensions = ["myst_parser", "ppslab.course.site.directives"]
root_doc = "book/index"
html_theme = "basic"
exclude_patterns = ["_build"]
"""
EVERY = """# Front

```{ppslab-wiring} fastpath
```
```{ppslab-figure} fastpath costs
```
```{ppslab-figure} fastpath published
```
```{ppslab-costs} fastpath
```
```{ppslab-order} fastpath
```
```{ppslab-throughput} fastpath
```
```{ppslab-beside} fastpath
```
```{ppslab-conditions} fastpath
```
```{ppslab-verdicts} all
```
```{ppslab-cannot-show} fastpath
```
```{ppslab-curve} cores
```
```{ppslab-testers}
```
```{ppslab-claims} fastpath
```
```{ppslab-published} fastpath
```
```{ppslab-config} fastpath routing-3-rules routeros
```
```{ppslab-config} fastpath routing-3-rules linux
```
```{ppslab-config} fastpath bridging-fast-path linux
```

A packet takes {ppslab-number}`fastpath cost routing-plain 64`, {ppslab-number}`fastpath ratio
routing-3-rules routing-plain 64`, {ppslab-number}`fastpath published rb1100-fast-path-total-rx`,
{ppslab-number}`fastpath claims timed reproduced`, {ppslab-number}`fastpath noise 64`.
"""


class Site:
    """A small site of one front page and one more, built in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.out = folder / "out"
        self.results = folder / "results"
        (self.source / "book").mkdir(parents=True)
        (self.source / "conf.py").write_text(CONFIG)
        self.page("more", "# More\n")

    def page(self, name: str, text: str) -> None:
        (self.source / "book" / f"{name}.md").write_text(text)

    def record(self, stamp: str = "20260102T030405Z", **words: object) -> results.Record:
        record = make_record(**words)  # type: ignore[arg-type]
        results.save(record, self.results / f"fastpath-{stamp}-namespaces.json")
        return record

    def build(self, front: str = EVERY) -> tuple[str, str, set[str]]:
        """The front page, the warnings, and the pages that were read."""
        text = front + "\n```{toctree}\n:hidden:\nmore\n```\n"
        if not (self.source / "book/index.md").exists():
            self.page("index", text)
        read: set[str] = set()
        warnings = io.StringIO()
        with patch_docutils(), docutils_namespace():
            app = Sphinx(
                str(self.source), str(self.source), str(self.out), str(self.out / ".doctrees"),
                "html", status=None, warning=warnings,
            )  # fmt: skip
            app.connect("source-read", lambda _app, name, _text: read.add(name))
            app.build()
        page = (self.out / "index.html").read_text(encoding="utf-8")
        return page, warnings.getvalue(), read


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    yield Site(tmp_path)


@pytest.mark.long
def test_a_page_shows_the_record(site: Site) -> None:
    record = site.record()
    page, warnings, _ = site.build()
    assert warnings == ""
    assert made.says(page, record.provenance().sentence)
    for name in costs.measured_conditions(record):
        said = record_tables.cost(record, name, 64)
        assert str(said).removesuffix(f" {record.unit}") in page
    shown = str(record_tables.ratio(record, "routing-3-rules", "routing-plain", 64))
    assert f'title="{record.provenance().sentence}">{shown}</abbr>' in page


@pytest.mark.long
def test_every_claim_has_a_row_that_leads_to_published_numbers(site: Site) -> None:
    record = site.record()
    page, _, _ = site.build()
    for each in claims.judge_all(lab.find("fastpath"), claims.Runs.of(record)):
        assert f'id="claim-fastpath-{each.id}"' in page
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    links = re.findall(r'href="#(published-[^"]+)"', page)
    assert len(links) > 20
    assert set(links) <= ids


@pytest.mark.long
def test_every_link_of_the_scoreboard_leads_to_its_row(site: Site) -> None:
    site.record()
    page, warnings, _ = site.build("# Front\n\n```{ppslab-scoreboard} all\n```\n")
    assert warnings == ""
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    links = re.findall(r'href="#(published-[^"]+)"', page)
    assert len(links) > 20
    assert set(links) <= set(ids)
    fastpath, text = lab.find("fastpath"), html.unescape(re.sub(r"<[^>]*>", "", page))
    reasons = [each.reason for each in outcome.of(fastpath).judged if words.ids_in(each.reason)]
    assert reasons and not [reason for reason in reasons if reason in text]
    assert all(for_readers(reason, fastpath.titles) in text for reason in reasons)


@pytest.mark.long
def test_a_topology_is_shown_as_its_file_and_its_start_files_have_it(site: Site) -> None:
    front = "# Front\n\n```{ppslab-topology} eoip-chr\n```\n\n```{ppslab-topologies}\n```\n"
    page, warnings, _ = site.build(front)
    assert warnings == ""
    assert "core ether3 (198.19.2.1/24) is wired to r2 ether3 (198.19.2.2/24)." in page
    row = ["tester eth1", "02:00:c6:12:01:fe", "r1 ether2 (lan)"]
    row += ["198.18.1.1/24, 02:00:c6:12:01:01", "9000"]
    cells = re.findall(r"<td><p>(?:<span>)?(.*?)(?:</span>)?</p></td>", page.replace("\n", ""))
    assert "|".join(row) in "|".join(cells)
    assert "|".join(["eoip-chr.clab.yml", "1", "3", "3", "3072", "4"]) in "|".join(cells)


@pytest.mark.long
def test_configurations_are_the_labs_own_files(site: Site) -> None:
    site.record()
    page, _, _ = site.build()
    assert "<code>labs/fastpath/routeros/filter-3.rsc</code>" in page
    assert "allow already established connections" in page
    assert "images/linux-router/bpf/bridge_forward.bpf.c stands on every port" in page


def test_commands_stand_as_they_are_typed(site: Site) -> None:
    """In prose their quotes and dashes would become others."""
    page, _, _ = site.build("```{ppslab-config} l3offload asked-cpu-drops linux\n```\n")
    (program, *_) = lab.find("l3offload").condition("asked-cpu-drops").linux.programs
    blocks = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    texts = [html.unescape(re.sub("<[^>]*>", "", block)).strip() for block in blocks]
    assert program.run in texts


@pytest.mark.long
def test_without_a_record_pages_say_so_and_the_build_goes_on(site: Site) -> None:
    page, warnings, _ = site.build()
    assert warnings == ""
    assert "No run of fastpath is recorded yet" in page
    assert "not measured yet" in page
    assert f"1{APART}170{APART}641 pps" in page


@pytest.mark.long
def test_a_new_record_makes_its_pages_anew_and_no_others(site: Site) -> None:
    site.record()
    site.build()
    assert site.build()[2] == set()
    newer = site.record("20270102T030405Z", seed=2)
    page, _, read = site.build()
    assert read == {"book/index"}
    assert str(costs.ratio(newer, "routing-3-rules", "routing-plain", 64)) in page


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("```{ppslab-costs} fastpaht\n```", "no lab 'fastpaht' (did you mean \"fastpath\"?)"),
        ("```{ppslab-config} fastpath routing-3-rule linux\n```", "no condition"),
        ("```{ppslab-config} fastpath routing-3-rules cisco\n```", "no configuration 'cisco'"),
        ("```{ppslab-figure} fastpath pie\n```", "no figure 'pie'"),
        ("```{ppslab-topology} fastpath-crh\n```", 'no topology "fastpath-crh" (did you mean'),
        ("```{ppslab-published} fastpath\n:source: nobody\n```", "no source 'nobody'"),
        ("{ppslab-number}`fastpath ratio routing-plain 64`", "no such number"),
        ("{ppslab-number}`fastpath published no-row`", "no-row"),
    ],
)
def test_bad_words_are_a_warning_with_its_line(site: Site, words: str, said: str) -> None:
    site.record()
    _, warnings, _ = site.build(f"# Front\n\n{words}\n")
    assert said in warnings
    assert "book/index.md:3" in warnings


@pytest.mark.long
def test_the_front_page_is_index_html_and_its_old_address_leads_there(site: Site) -> None:
    site.record()
    page, _, _ = site.build()
    assert 'href="book/more.html"' in page
    more = (site.out / "book/more.html").read_text()
    assert 'href="../index.html"' in more
    assert 'url=../index.html"' in (site.out / "book/index.html").read_text()


@pytest.mark.long
def test_an_address_on_another_host_fails_the_build(site: Site) -> None:
    site.record()
    _, warnings, _ = site.build(
        '# Front\n\n<img src="https://example.org/a.png" alt="">\n\n[a link](https://example.org)\n'
    )
    assert "would fetch https://example.org/a.png from another host" in warnings
    assert warnings.count("another host") == 1


@pytest.mark.parametrize(
    "text",
    [
        "<script src='//cdn.example/x.js'></script>",
        '<script async src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="https://cdn.example/x.css">',
        '<iframe src="http://cdn.example/"></iframe>',
        "<style>@import 'https://cdn.example/x.css';</style>",
        "<style>a { background: url(https://cdn.example/x.png) }</style>",
        '<image xlink:href="https://cdn.example/x.png"/>',
    ],
)
def test_whatever_a_browser_fetches_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.html").write_text(text)
    assert [address for _, address in external_addresses(tmp_path)]


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://example.org">a link that a reader may follow</a>',
        '<link rel="canonical" href="https://example.org/">',
        "<pre>&lt;script src=https://example.org&gt; url(https://example.org)</pre>",
        '<script src="_static/x.js"></script>',
        '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    ],
)
def test_what_a_browser_does_not_fetch_may_stand(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.html").write_text(text)
    assert external_addresses(tmp_path) == []


def test_building_pages_never_measures(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PPSLAB_BACKEND")
    site.build("# Front\n")
    assert os.environ["PPSLAB_BACKEND"] == "recorded"


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
    site.page("more", "# More\n\n```{ppslab-costs} fastpath\n```\n")
    front, warnings, _ = site.build("# Front\n\nText.\n")
    assert warnings == ""
    assert front.count("The newest measurement") == 2
    assert "It was never measured here" in front
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert more.count("The newest measurement") == 1
    assert f"failed on {failed.when:%Y-%m-%d %H:%M} UTC" in more
    assert f"were measured on {record.started:%Y-%m-%d %H:%M} UTC" in more
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
    pages = "```{ppslab-scoreboard} all\n```\n\n```{ppslab-verdicts} all\n```\n"
    site.page("more", "# More\n\n```{ppslab-claims} eoip\n```\n")
    page, warnings, _ = site.build(f"{EVERY}\n{pages}")
    assert "The claims of <code" in page and "could not be judged" in page
    assert "TypeError: float() argument must be" in page and "recorded.py" in page
    assert "fastpath could not be judged: claim " in warnings
    (claim, *_) = claims.load(lab.find("eoip"))
    assert f'id="claim-eoip-{claim.id}"' in page
    assert 'id="claim-fastpath-' not in page
    # A page that shows nothing of the lab has nothing to tell of it.
    assert "could not be judged" not in (site.out / "book/more.html").read_text()


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
    site.page("more", "# More\n\n```{ppslab-costs} fastpath\n```\n")
    (site.source / "book/pppoe").mkdir()
    alone = "---\norphan: true\n---\n"
    site.page("pppoe/index", f"{alone}# PPPoE\n\n```{{ppslab-costs}} pppoe\n```\n")
    directives = ("verdicts", "scoreboard", "status", "systems")
    every = "\n".join(
        f"```{{ppslab-{each}}} {'runs' if each == 'status' else 'all'}\n```" for each in directives
    )
    every += "\n```{ppslab-lab-list}\n```\n```{ppslab-router-labs}\n```\n"
    page, warnings, _ = site.build(f"# Front\n\n{every}")
    wrong = re.compile(r"labs/pppoe/lab\.yml:\d+: not YAML")
    # The front page's list leads to chapters that this small site has not.
    told = [line for line in warnings.splitlines() if "xref_missing" not in line]
    assert [line for line in told if not wrong.search(line)] == []
    assert "pppoe cannot be read: " in warnings
    assert page.count("the site leaves the lab out") == 1
    assert lab.find("fastpath").title in page and 'id="claim-fastpath-' in page
    chapter = html.unescape((site.out / "book/pppoe/index.html").read_text(encoding="utf-8"))
    assert "A file of the lab" in chapter and wrong.search(chapter)
    assert f"Its newest run, of {record.started:%Y-%m-%d %H:%M} UTC, is shown again" in chapter
    # That its measurement failed too has the same reason, and no numbers are shown.
    assert "The newest measurement" not in chapter
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert "leaves the lab out" not in more and made.says(more, record.provenance().sentence)


@pytest.mark.long
def test_the_systems_lead_to_their_open_claims(site: Site) -> None:
    site.record(without=("routing-plain",))
    site.page("claims", "# Board\n\n```{ppslab-scoreboard} all\n```\n")
    front = "# Systems\n\n```{ppslab-systems} all\n```\n\n```{ppslab-systems} open\n```\n"
    page, warnings, _ = site.build(front + "\n```{toctree}\n:hidden:\nclaims\n```\n")
    assert warnings == ""
    for name in lab.names():
        assert lab.find(name).title in page
    board = next(site.out.rglob("claims.html")).read_text(encoding="utf-8")
    led = set(re.findall(r'href="[^"#]*#(claim-[^"]+)"', page))
    assert led and led <= set(re.findall(r'\bid="([^"]+)"', board))
    fastpath, text = lab.find("fastpath"), html.unescape(re.sub(r"<[^>]*>", "", page))
    needs = {
        need(each): for_readers(need(each), fastpath.titles)
        for each in outcome.of(fastpath).judged
        if each.verdict in OPEN and words.ids_in(need(each))
    }
    assert needs, "an open claim whose reason names a condition"
    text = text.replace("\u2019", "'")
    assert [each for each in needs if each in text] == []
    assert all(each in text for each in needs.values())
