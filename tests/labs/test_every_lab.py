"""What holds for every lab: its data, its claims, its wiring, and the pages that teach it."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
import yaml

from ppslab import claims, lab, published, topology

ROOT = Path(__file__).parents[2]
LABS = lab.names()
TEST_NETWORKS = [ip_network("198.18.0.0/15"), ip_network("2001:2::/48")]
# Of no network: nobody's, every host's, link-local and multicast ones, documentation in comments.
ANYWHERE = [
    ip_network(text)
    for text in ("0.0.0.0/32", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3",
                 "::/127", "fe80::/10", "ff00::/8")
]  # fmt: skip
# RFC 2544 section 11.4.1 names the addresses of its filters; a whole-network prefix is a mask.
ADDRESS = re.compile(
    r"(?<![\w.:-])(\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7})(?![\w.:])"
)


@pytest.mark.parametrize("name", LABS)
def test_every_published_number_belongs_to_a_claim(name: str) -> None:
    found = lab.find(name)
    claimed = {row for claim in claims.load(found) for row in claim.published}
    assert set(published.load(found)) <= claimed


@pytest.mark.parametrize("name", LABS)
def test_every_claim_says_where_it_stands_and_what_would_settle_it(name: str) -> None:
    for claim in claims.load(lab.find(name)):
        assert claim.source and claim.where and claim.statement.endswith("."), claim.id
        if claim.judge.not_testable:
            assert len(claim.judge.not_testable.needs) > 10, claim.id


@pytest.mark.parametrize("name", LABS)
def test_no_file_of_a_lab_is_idle(name: str) -> None:
    found = lab.find(name)
    used = {f for c in found.conditions.values() for f in (*c.files, *c.routeros)}
    text = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("book", "notebooks", "tests", "topologies", f"labs/{name}")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".md", ".ipynb", ".py", ".yml", ".rsc")
    )
    for part in ("routeros", "linux"):
        for path in sorted((found.folder / part).rglob("*")):
            file = str(path.relative_to(found.folder))
            if path.is_file() and file not in used:
                # Shown by a page, read by a test, or what an article's tester was told.
                shown = path.name in text or path.stem.startswith("tester-")
                assert shown, f"{name}: nothing uses {file}"


@pytest.mark.parametrize("name", LABS)
def test_every_address_is_for_benchmarks(name: str) -> None:
    """RFC 2544 C.2.2 and RFC 5180 section 8: nothing that could belong to anybody."""
    found = lab.find(name)
    files = [found.folder / "lab.yml", found.folder / "tasks.yml"]
    files += [ROOT / "topologies" / f"{found.words.topology}.clab.yml"]
    files += [p for part in ("linux", "routeros") for p in (found.folder / part).rglob("*")]
    for path in filter(Path.is_file, files):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            for text in ADDRESS.findall(line.split("#", 1)[0]):
                try:
                    address = ip_address(text)
                except ValueError:
                    continue  # a MAC address, a time
                inside = any(address in network for network in (*TEST_NETWORKS, *ANYWHERE))
                assert inside, f"{path.relative_to(ROOT)}:{number}: {text}"


@pytest.mark.parametrize("name", LABS)
def test_its_wiring_has_the_nodes_that_it_names(name: str) -> None:
    words = lab.find(name).words
    wiring = topology.find(words.topology)
    assert words.router in wiring.nodes
    if words.flows:
        assert set(words.ports.values()) <= set(wiring.interfaces(words.tester))
        assert set(words.ports.values()) <= set(wiring.interfaces(words.router)) or (
            len(wiring.nodes) > 2
        )


@pytest.mark.parametrize("name", LABS)
def test_it_is_taught(name: str) -> None:
    """A chapter, a notebook, a place in the table of contents, a recorded run, two languages."""
    text = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    files = set(re.findall(r"file: (\S+)", text))
    assert f"notebooks/{name}" in files
    assert f"book/{name}/index" in files
    assert any((ROOT / "results").glob(f"*{name}-*Z-*.json")), "no recorded run"
    yaml.safe_load(text)
    for condition in lab.find(name).conditions.values():
        assert condition.title and condition.description, condition.name
        assert condition.routeros, f"{condition.name}: no RouterOS configuration"
