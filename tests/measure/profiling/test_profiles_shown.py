"""A profile is kept, and shown: graphs, tables, a figure, and why there are no samples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from ppslab.cli.measuring import profile as command
from ppslab.cli.printing import console
from ppslab.core.errors import UsageError
from ppslab.measure.profiling.flamegraph import graph, graphs, inline
from ppslab.measure.profiling.stations import stations_table
from ppslab.model import results
from ppslab.show.figures.stations import stations_figure
from tests.support.profile_factory import make_profile


def test_the_record_survives_being_written(tmp_path: Path) -> None:
    record = make_profile()
    path = tmp_path / "profile-fastpath-20261121T030000Z-namespaces.json"
    results.save(record, path)
    assert results.load_any(path) == record
    jsonschema.validate(json.loads(path.read_text()), results.schema(results.ProfileRecord))


def test_two_conditions_have_a_graph_each_and_their_difference() -> None:
    drawn = graphs(make_profile())
    assert set(drawn) == {
        "routing-plain.svg", "routing-25-ip-filter-rules.svg", "difference.svg"
    }  # fmt: skip
    for svg in drawn.values():
        ElementTree.fromstring(svg)
    assert "+600 ns per packet" in drawn["difference.svg"]
    assert "nft_do_chain: 600 ns, +600 ns" in drawn["difference.svg"]
    assert graphs(make_profile(sampled=False)) == {}


def test_a_graph_in_a_page_has_ids_of_its_own() -> None:
    record = make_profile()
    names = ("flame-a", "flame-b")
    page = "".join(inline(graph(record, "routing-plain"), name) for name in names)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids) == 4
    for name in names:
        assert f'aria-labelledby="{name}-title {name}-desc"' in page
    assert not page.startswith("<?xml")
    against = graph(record, "routing-25-ip-filter-rules", "routing-plain")
    assert "+600 ns per packet" in against
    with pytest.raises(UsageError, match="did you mean"):
        graph(record, "routing-plane")


def test_the_table_has_what_was_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "width", 160)
    with console.capture() as caught:
        command.show(make_profile())
    rows = {
        cells[1].strip(): [cell.strip() for cell in cells[2:-1]]
        for cells in (line.split("│") for line in caught.get().splitlines())
        if len(cells) == 6
    }
    assert rows["nftables rules"][2] == "+600"
    assert rows["IP"][0].startswith("600 ±")
    assert rows["IP"][2] == "+0"
    assert rows["together"][2] == "+600"
    assert rows["times routing-plain"] == ["1 [0.98, 1.02]", "3 [2.94, 3.06]", ""]


def test_the_page_s_table_has_the_router_and_the_ratio() -> None:
    table = stations_table(make_profile())
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["nftables rules"][0] == "-"
    assert rows["nftables rules"][1].startswith("600 ± ")
    assert rows["nftables rules"][2] == "+600"
    assert rows["the router's part"] == ["300 [294, 306]", "900 [882, 918]", ""]
    assert table.header[-1] == "difference"
    assert table.provenance
    assert not table.notes
    unsampled = stations_table(make_profile(sampled=False))
    assert unsampled.header == ("station",)


def test_without_perf_the_counters_are_shown_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "width", 160)
    with console.capture() as caught:
        command.show(make_profile(sampled=False))
    assert "Not sampled: perf is not installed" in caught.get()
    assert "NET_RX" in caught.get()


def test_the_figure_has_its_numbers_in_words() -> None:
    figure = stations_figure(make_profile())
    assert "routing-25-ip-filter-rules, nftables rules: 600 ns" in "\n".join(figure.lines)
    assert "3 times that of Routing, slow path" in figure.alt
    ElementTree.fromstring(figure.accessible())
