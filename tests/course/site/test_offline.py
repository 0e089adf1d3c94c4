"""Nothing on a page is fetched from another host, and no build measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.course.site.directives.frame.offline import external_addresses
from tests.course.site.small_site import Site


@pytest.mark.long
def test_an_address_on_another_host_fails_the_build(site: Site) -> None:
    site.record()
    _, warnings, _ = site.build(
        '# Front\n\n<img src="https://example.org/a.png" alt="">\n\n[a link](https://example.org)\n'
    )
    assert "would fetch https://example.org/a.png from another host" in warnings
    assert warnings.count("another host") == 1


FETCHED = (
    "<script src='//cdn.example/x.js'></script>",
    '<script async src="https://cdn.example/x.js"></script>',
    '<link rel="stylesheet" href="https://cdn.example/x.css">',
    '<iframe src="http://cdn.example/"></iframe>',
    "<style>@import 'https://cdn.example/x.css';</style>",
    "<style>a { background: url(https://cdn.example/x.png) }</style>",
    '<image xlink:href="https://cdn.example/x.png"/>',
)
NOT_FETCHED = (
    '<a href="https://example.org">a link that a reader may follow</a>',
    '<link rel="canonical" href="https://example.org/">',
    "<pre>&lt;script src=https://example.org&gt; url(https://example.org)</pre>",
    '<script src="_static/x.js"></script>',
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
)


@pytest.mark.parametrize("text", [*FETCHED, *NOT_FETCHED])
def test_what_a_browser_fetches_is_found_and_nothing_else(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.html").write_text(text)
    assert len(external_addresses(tmp_path)) == (text in FETCHED)
