"""What the search page looks up first, and what a page says of itself to search engines."""

from __future__ import annotations

import pytest
from docutils import nodes

from ppslab.course.site.directives.frame import search


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("/ip firewall filter", "", "ip firewall filter"),
        ("/ip/firewall/filter", "", "ip firewall filter"),
        ("fasttrack-connection", "", "fasttrack-connection"),
        ("l3-hw-offloading=yes", "", "l3-hw-offloading"),
        (
            "/ip/firewall/filter\nadd chain=forward action=drop",
            "routeros",
            "ip firewall filter add",
        ),
        ("/ip/firewall/filter\nadd chain=forward action=drop", "routeros", "chain"),
    ],
)
def test_a_word_of_configuration_stays_whole(text: str, language: str, found: str) -> None:
    assert found in set(search.words(text, language))


@pytest.mark.parametrize("text", ["/proc/sys/net/ipv4/ip_forward", "book/fastpath-index.md"])
def test_names_of_files_are_no_words_of_configuration(text: str) -> None:
    assert not set(search.words(text, ""))


def page(*children: nodes.Node) -> nodes.document:
    from docutils.utils import new_document

    document = new_document("page")
    section = nodes.section(ids=["page"])
    section += [nodes.title(text="Page"), *children]
    document += section
    return document
