"""The files of rules/: each rule's examples, base.json, and what is wrong in a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from asked import HEAD, LAN_AND_WAN, ask, of

from rosexplain import base, rule_files
from rosexplain.noticed import noticed
from rosexplain.rule_files import RuleFileError, table

RULES = rule_files.load().rules


def test_base_json_is_that_of_the_rules() -> None:
    assert base.base() == json.loads(json.dumps(rule_files.plain())), (
        "rules/ changed: python -m rosexplain.rule_files"
    )


@pytest.mark.parametrize("name", RULES)
def test_a_rule_holds_where_it_says_so_and_nowhere_else(name: str) -> None:
    for key, example, met in (("holds", RULES[name].holds, True), ("not", RULES[name].not_, False)):
        old, new = example.change.old, example.change.new
        assert old in example.export, f"`{key}` of {name}: change.old is not in its export"
        changed = example.export.replace(old, new, 1)
        for text, wanted, where in (
            (example.export, met, f"export of `{key}`"),
            (changed, not met, f"export of `{key}`, with its change,"),
        ):
            explanation = ask(text)
            held = {*explanation.met, *dict(noticed(explanation))}
            assert (name in held) == wanted, (
                f"the {where} {'must' if wanted else 'must not'} meet {name}, by its `menus` and "
                f"`where`; the rules that it meets: {', '.join(sorted(held)) or 'none'}\n{text}"
            )
            assert not explanation.net.rows.unread


@pytest.mark.parametrize("name", [name for name in RULES if RULES[name].hides])
def test_an_answer_is_open_where_a_rule_hides_rows(name: str) -> None:
    rule = RULES[name]
    assert of(ask(HEAD + LAN_AND_WAN), "established").answer == "yes"
    decided = of(ask(HEAD + LAN_AND_WAN + rule.holds.export), "established")
    assert decided.answer == "unknown" and set(rule.asks) <= set(decided.asks)
    changed = rule.holds.export.replace(rule.holds.change.old, rule.holds.change.new, 1)
    assert of(ask(HEAD + LAN_AND_WAN + changed), "established").answer == "yes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(base.RULES, tmp_path / "rules"))


LOSES = f"    loses: {RULES['simple-queues'].loses}\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "says", "line"),
    [
        ("queues.yml", "closes: {ip: fast-path-queues}", "closes: {ip: fast-path-queue}",
         'mean "fast-path-queues"', "    closes: {ip: fast-path-queue}"),
        ("queues.yml", "  queue-tree:", "  rules:", r"rules stands in fast-path\.yml:", "  rules:"),
        ("queues.yml", "  queue-tree:", "  simple-queues:", "stands twice", "  simple-queues:"),
        ("queues.yml", "effect: blind", "effect: blink", "effect", "    offload:"),
        ("queues.yml", LOSES, "", "go together", "  simple-queues:"),
        ("bridge.yml", 'dhcp-snooping: "yes"', "dhcp-snooping: yes", "in quotes",
         "    where: {dhcp-snooping: yes}"),
        ("servers.yml", "name: sstp-server,", "name: sstp-servers,", "under `carried`",
         "    carries: {name: sstp-servers,"),
        ("noticed.yml", "    note: 240\n", "", "no answer says", "  sniffer-streams:"),
        ("noticed.yml", "  open-resolver:", "  open-resolvers:", r"noticed\.py", "    menus: [-]"),
        ("noticed.yml", "    note: 240\n", "    notice: 240\n", "make it a `note`",
         "  sniffer-streams:"),
        ("noticed.yml", "    place: reached\n", "    place: reach\n", 'mean "reached"',
         "    place: reach"),
        ("bridge.yml", "    intends: [joined]\n", "    intends: [joint]\n", 'mean "joined"',
         "    intends: [joint]"),
        ("queues.yml", LOSES, LOSES + "    place: air\n", "has a `place`", "  simple-queues:"),
        ("base.yml", "  [fast-path-allowed,", "  [fast-path-alowed,", "fast-path-allowed",
         "  [fast-path-alowed"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_named_by_its_line(
    folder: Path, file: str, old: str, new: str, says: str, line: str
) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    changed = text.replace(old, new, 1)
    (folder / file).write_text(changed, encoding="utf-8")
    with pytest.raises(RuleFileError, match=says) as caught:
        rule_files.load(folder)
    assert caught.value.path.name == file
    assert changed.splitlines()[caught.value.line - 1].startswith(line)


FACT = """page: a/b
read: 2026-10-06
facts:
  one:
    section: Somewhere
    says: RouterOS does this one thing, as written.
    confirmed: none
"""


@pytest.mark.parametrize(
    ("more", "cited", "source"),
    [
        ('    since: "7.21"\n',
         "MikroTik's manual, a/b, Somewhere (read 2026-10-06), since RouterOS 7.21",
         "https://manual.mikrotik.com/docs/a/b"),
        ("    url: https://example.net/x\n    read: 2026-08\n",
         "https://example.net/x, Somewhere (read 2026-08)", "https://example.net/x"),
        ("    basis: inferred\n    because: it follows\n",
         "follows from MikroTik's manual, a/b, Somewhere (read 2026-10-06)",
         "https://manual.mikrotik.com/docs/a/b"),
    ],
)  # fmt: skip
def test_a_fact_has_its_source_and_its_day(
    tmp_path: Path, more: str, cited: str, source: str
) -> None:
    (tmp_path / "one.yml").write_text(FACT + more)
    fact = rule_files.facts(tmp_path)["one"]
    assert (fact.cited, fact.source, fact.subject) == (cited, source, "one")
    assert not fact.fact.is_confirmed


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("read: 2026-10-06", "read: last summer", 2),
        ("page: a/b", "page: a/b\nurl: https://example.net", 1),
        ("says:", "say:", 4),
        ("    confirmed: none\n", "", 4),
        ("confirmed: none", "confirmed: none\n    basis: inferred", 4),
        ("confirmed: none", "confirmed: none\n    basis: guessed", 8),
        ("confirmed: none", "confirmed: none\n    since: seven", 8),
        ("confirmed: none", f"confirmed: none\n    quote: {'word ' * 25}", 4),
        ("  one:", "  One Two:", 4),
    ],
)
def test_a_wrong_fact_is_named_by_its_line(tmp_path: Path, old: str, new: str, line: int) -> None:
    assert old in FACT
    (tmp_path / "one.yml").write_text(FACT.replace(old, new))
    with pytest.raises(RuleFileError) as caught:
        rule_files.facts(tmp_path)
    assert caught.value.line == line


def test_a_quote_has_at_most_24_words(tmp_path: Path) -> None:
    (tmp_path / "one.yml").write_text(FACT + f"    quote: {'word ' * 24}\n")
    assert rule_files.facts(tmp_path)


def test_one_id_stands_once(tmp_path: Path) -> None:
    for name in ("one.yml", "two.yml"):
        (tmp_path / name).write_text(FACT)
    with pytest.raises(RuleFileError, match=r"two\.yml:4: one stands in one\.yml:4 already"):
        rule_files.facts(tmp_path)


FAMILIES = {chip: row for row in table("features.csv") for chip in row["chips"].split(", ")}


def test_a_device_refuses_what_its_family_of_chips_does() -> None:
    """The manual's tables of bridge offload, by family for readers and by device for advice."""
    assert len(FAMILIES) == sum(len(row["chips"].split(", ")) for row in table("features.csv"))
    for row in table("bridging.csv"):
        family = FAMILIES[row["chip"]]
        refused = [
            name for name in ("rstp", "mstp", "vlan", "igmp", "dhcp") if family[name] == "no"
        ]
        assert row["refuses"].split() == refused, row["device"]


@pytest.mark.parametrize(
    ("chip", "vlan"), [("88E6393X", "yes"), ("MT7621", "yes"), ("QCA8337", "no"), ("IPQ-PPE", "no")]
)
def test_vlan_filtering_by_chip(chip: str, vlan: str) -> None:
    assert FAMILIES[chip]["vlan"] == vlan
