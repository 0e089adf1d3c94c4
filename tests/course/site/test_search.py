"""The site's search: what somebody types, and the page that it shows first; and what pages say."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from docutils import nodes

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.course.site.directives.frame import pages, search
from tests.course.models.both import NODE
from tests.course.site.small_site import Site

ROOT = paths.project_root()
ROWS = pages.load(ROOT / pages.FILE)

# As much of a page as the script asks for: what it puts before the results, as JSON.
PAGE = """
const [script, data, queries] = JSON.parse(require("fs").readFileSync(0, "utf8"));
let made = [];
const place = { before: (...parts) => made.push(...parts) };
globalThis.document = {
  documentElement: { dataset: { content_root: "" } },
  createElement: (tag) => ({ tag, children: [], append(...more) { this.children.push(...more); } }),
  querySelectorAll: () => [],
  getElementById: () => place,
  addEventListener: (name, run) => { document.ready = run; },
};
globalThis.ppslab = { gettext: (text) => text };
Object.assign(globalThis, data);
const links = (part) => part.tag === "li" || part.tag === "dd"
  ? [[part.children[0].href, part.children[1]?.textContent ?? ""]]
  : (part.children ?? []).flatMap(links);
const answered = (query) => {
  made = [];
  globalThis.location = { search: "?q=" + encodeURIComponent(query) };
  (0, eval)(script);
  document.ready();
  return made.flatMap((part) => links(part));
};
console.log(JSON.stringify(queries.map(answered)));
"""

DATA: dict[str, Any] = {
    "ppslabPlaces": [],
    "ppslabWords": {},
    "ppslabSections": [],
    "ppslabKnown": {},
    "ppslabAnswers": [
        {"address": page, "title": row.title, "text": row.description,
         "words": [word.lower() for word in row.search]}
        for page, row in ROWS.items() if row.search
    ],
}  # fmt: skip


def results(
    queries: Iterable[str], data: dict[str, Any] = DATA
) -> dict[str, list[tuple[str, str]]]:
    """Address and excerpt of each result of each query, in the order of the page."""
    script = (ROOT / "book/assets" / search.SCRIPT).read_text(encoding="utf-8")
    done = subprocess.run(
        [NODE, "-e", PAGE], capture_output=True, text=True, check=True,
        input=json.dumps([script, DATA | data, list(queries)]),
    )  # fmt: skip
    answers = json.loads(done.stdout)
    return {
        query: [(address, text) for address, text in answer]
        for query, answer in zip(queries, answers, strict=True)
    }


PAGES = {
    "RB5009": "book/fast",
    "RB5009UG+S+IN": "book/fast",
    "hEX": "book/fast",
    "bufferbloat": "book/queues/router",
    "slow": "book/slow",
    "my router is slow": "book/slow",
    "only 300 Mbit/s": "book/slow",
    "high cpu load": "book/slow",
    "wireguard speed": "book/slow",
    "fasttrack not working": "book/fasttrack/router",
    "queue not limiting": "book/queues/router",
    "simple queue not working with fasttrack": "book/queues/router",
    "MTU EoIP": "book/eoip/overhead",
    "wireguard mtu": "book/eoip/overhead",
    "which mikrotik 1 gbit": "book/fast",
    "hAP ax3": "book/fast",
    "25 firewall rules": "book/fastpath/measured",
    "check my config": "book/explain",
    "one core 100%": "book/cores/index",
    "pppoe slow": "book/pppoe/index",
    "CRS326 l3hw": "book/l3offload/index",
    "pcc fasttrack": "book/wans/router",
    "conntrack table full": "book/slow",
    "half duplex": "book/slow",
    "ccr2004 10g": "book/fast",
    "slow after update": "book/changes",
    "wireguard slow": "book/cores/wireguard",
    "cake queue": "book/queues/router",
    "mss clamp": "book/eoip/overhead",
    "cpu 100%": "book/slow",
    "bridge vs switch": "book/bridges/index",
    "hw offload vlan": "book/bridges/router",
}
"""What somebody types, and the page that it leads to."""


def test_what_somebody_types_leads_to_its_page_first_with_an_excerpt() -> None:
    first = {query: answer[0] for query, answer in results(PAGES).items()}
    assert first == {query: (page, ROWS[page].description) for query, page in PAGES.items()}


def test_a_word_leads_to_its_sections() -> None:
    words = {"ppslabPlaces": [["one", "One"], ["two", "Two"]], "ppslabWords": {"max-limit": [1, 0]}}
    assert results(["max-limit"], words)["max-limit"][-2:] == [("two", ""), ("one", "")]


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"title": "t" * 61, "description": "d"}, "title"),
        ({"title": "t", "description": "d" * 156}, "description"),
        ({"title": "t"}, "description"),
        ({"title": "t", "description": "d", "serach": ["a"]}, "serach"),
    ],
)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, row: dict[str, Any], wrong: str) -> None:
    path = tmp_path / "pages.yml"
    path.write_text(yaml.safe_dump({"book/a": row}))
    with pytest.raises(FileError, match=wrong):
        pages.load(path)


def test_an_excerpt_is_the_first_text_of_its_own_section() -> None:
    def section(*below: nodes.Node) -> nodes.section:
        return nodes.section("", nodes.title(text="Title"), *below)

    inner = section(nodes.paragraph(text="The inner text."))
    assert search.excerpt(inner) == "The inner text."
    assert search.excerpt(section(inner)) == ""
    long = search.excerpt(section(nodes.paragraph(text="word " * 99)))
    assert long.endswith(" ...") and len(long) <= search.MOST_EXCERPT


RULE = "/ip/firewall/filter\nadd action=drop"


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("/ip firewall filter", "", {"ip firewall filter"}),
        ("/ip/firewall/filter", "", {"ip firewall filter"}),
        ("l3-hw-offloading=yes", "", {"l3-hw-offloading"}),
        (RULE, "routeros", {"ip firewall filter", "ip firewall filter add", "action"}),
        # Names of files are no words of configuration.
        ("/proc/sys/net/ipv4/ip_forward", "", set()),
        ("book/fastpath-index.md", "", set()),
    ],
)
def test_a_word_of_configuration_stays_whole(text: str, language: str, words: set[str]) -> None:
    assert set(search.words(text, language)) == words


@pytest.mark.parametrize(
    ("text", "end"),
    [("A sentence which says a thing. " * 9, "a thing."), ("word " * 99, "word ..."),
     ("Short.", "Short.")],
)  # fmt: skip
def test_a_long_text_ends_with_a_sentence_or_says_that_it_goes_on(text: str, end: str) -> None:
    short = pages.shortened(text, 60)
    assert short.endswith(end) and len(short) <= 60


@pytest.mark.long
def test_a_page_has_its_row_s_title_and_description_or_its_own(site: Site) -> None:
    site.page("more", "# More of it\n\nThe first\nparagraph.\n\n## A part\n\nOf this part.\n")
    site.page("index", "# Front\n\nText.\n\n```{toctree}\n:hidden:\nmore\n```\n")
    row = {"title": "A <title> & more", "description": 'Of the "row".', "search": ["front"]}
    (site.source / pages.FILE).write_text(yaml.safe_dump({"book/index": row}))
    page, warnings, _ = site.build()
    assert warnings == ""
    assert "<title>A &lt;title&gt; &amp; more</title>" in page
    assert '<meta name="description" content="Of the &quot;row&quot;." />' in page
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert "<title>More of it" in more
    assert '<meta name="description" content="The first paragraph." />' in more
    words = (site.out / "_static" / search.FILE).read_text(encoding="utf-8")
    assert "Of this part." in words and '"front"' in words
    # A row that changes makes its page anew.
    (site.source / pages.FILE).write_text(yaml.safe_dump({"book/index": row | {"title": "New"}}))
    page, _, _ = site.build()
    assert "<title>New</title>" in page


@pytest.mark.long
def test_a_site_with_an_address_has_a_card_canonical_addresses_and_a_sitemap(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_SITE_URL", "https://example.org/course")
    base = "https://example.org/course/"
    page, warnings, _ = site.build("# Front\n\nText.\n")
    assert warnings == ""
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    sitemap = (site.out / "sitemap.xml").read_text(encoding="utf-8")
    for text, address in ((page, f"{base}index.html"), (more, f"{base}book/more.html")):
        assert f'<link rel="canonical" href="{address}" />' in text
        assert f'<meta property="og:url" content="{address}" />' in text
        assert f"<loc>{address}</loc>" in sitemap
        image = re.search(r'<meta property="og:image" content="([^"]*)" />', text)
        assert image
        assert (site.out / image[1].removeprefix(base)).read_bytes().startswith(b"\x89PNG")
    assert f"Sitemap: {base}sitemap.xml" in (site.out / "robots.txt").read_text(encoding="utf-8")
