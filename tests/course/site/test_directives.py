"""Directives: numbers from the newest record, a warning for bad words, the labs' own files."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import jsonschema
import pytest

from ppslab.core.text.quantities import Quantity, for_pages
from ppslab.course.site.directives.frame import finish
from ppslab.judge import costs, outcome
from ppslab.model.lab import lab
from ppslab.show import record_tables
from tests.course.site.small_site import Site
from tests.show import words
from tests.support import made


@pytest.mark.long
def test_a_page_shows_the_record(site: Site) -> None:
    record = site.record()
    page, warnings, _ = site.build()
    assert warnings == ""
    assert made.says(page, record.provenance().sentence)
    for name in costs.measured_conditions(record):
        said = record_tables.cost(record, name, 64)
        assert str(said).removesuffix(f" {record.unit}") in page
    ratio = record_tables.ratio(record, "routing-3-rules", "routing-plain", 64)
    assert isinstance(ratio, Quantity) and ratio.interval
    # In a sentence a number stands alone; its interval is with its source.
    ends = " to ".join(
        str(replace(ratio, value=end, low=None, high=None)) for end in ratio.interval
    )
    source = f"95 % interval: {ends}; {record.provenance().sentence}"
    alone = replace(ratio, low=None, high=None)
    assert f'title="{source}">{alone}</a>' in page


@pytest.mark.long
def test_every_link_of_the_scoreboard_leads_to_its_row(site: Site) -> None:
    site.record()
    page, warnings, _ = site.build("# Front\n\n```{ppslab-table} scoreboard all\n```\n")
    assert warnings == ""
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    links = re.findall(r'href="#(published-[^"]+)"', page)
    assert len(links) > 20
    assert set(links) <= set(ids)
    fastpath, text = lab.find("fastpath"), html.unescape(re.sub(r"<[^>]*>", "", page))
    text = text.replace("\u2019", "'")  # as Sphinx writes an apostrophe
    judged = [each for each in outcome.of(fastpath).judged if words.ids_in(each.reason)]
    assert judged and not [each.reason for each in judged if each.reason in text]
    assert all(for_pages(each.why(fastpath.titles)) in text for each in judged)


def test_commands_stand_as_they_are_typed(site: Site) -> None:
    """In prose their quotes and dashes would become others."""
    page, _, _ = site.build("```{ppslab-config} l3offload asked-cpu-drops linux\n```\n")
    (program, *_) = lab.find("l3offload").condition("asked-cpu-drops").linux.programs
    blocks = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    texts = [html.unescape(re.sub("<[^>]*>", "", block)).strip() for block in blocks]
    assert program.run in texts


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
def test_each_bad_word_is_a_warning_with_its_line(site: Site) -> None:
    bad = (
        "```{ppslab-table} costs fastpaht\n```",
        "```{ppslab-config} fastpath routing-3-rule linux\n```",
        "```{ppslab-config} fastpath routing-3-rules cisco\n```",
        "```{ppslab-figure} pie fastpath\n```",
        "```{ppslab-figure} topology fastpath-crh\n```",
        "```{ppslab-table} published fastpath\n:source: nobody\n```",
        "{ppslab-number}`fastpath ratio routing-plain 64`",
        "{ppslab-number}`fastpath published no-row`",
    )
    site.record()
    text, lines = "# Front\n", []
    for each in bad:
        lines.append(text.count("\n") + 2)
        text += f"\n{each}\n"
    _, warnings, _ = site.build(text)
    assert [int(n) for n in re.findall(r"book/index\.md:(\d+)", warnings)] == lines


@pytest.mark.long
def test_the_front_page_is_index_html_and_old_addresses_lead_on(site: Site) -> None:
    rows = "book/deep/gone: book/more\nbook/lost: book/nowhere\n"
    (site.source / finish.MOVED).write_text(rows)
    record = json.loads(site.record().model_dump_json(by_alias=True))
    page, warnings, _ = site.build("# Front\n")
    assert 'href="book/more.html"' in page
    assert 'href="../index.html"' in (site.out / "book/more.html").read_text()
    assert 'url=../index.html"' in (site.out / "book/index.html").read_text()
    moved = (site.out / "book/deep/gone.html").read_text()
    assert 'url=../../book/more.html"' in moved and ">More</a>" in moved
    assert "book/nowhere" in warnings and not (site.out / "book/lost.html").exists()
    schema = json.loads((site.out / "records.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(record, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**record, "seed": "7"}, schema)
