"""The benchmark's sheets are well formed, and one with a known answer is scored as it must."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.complaints.answers import answer, digest, exports, kept
from benchmarks.complaints.scoring import Score, answers, scored, talk
from benchmarks.complaints.sheets import HERE, PARTS, SEEN, Sheet, SheetError, read
from benchmarks.complaints.weighing import signs
from ppslab.course.learning.slow import PRIOR

FILES = sorted(path for part in PARTS for path in (HERE / part).glob("*.yml"))
SHEETS = cache(lambda path: tuple(read(path)))
EXPORT = """\
# 2026-01-01 10:00:00 by RouterOS 7.16.2
# model = RB5009UG+S+
/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""


def sheet(**keys: object) -> Sheet:
    """A sheet with these keys, and the least of the others."""
    rest = {"id": "one", "source": "https://example.org/1", "kind": "fasttrack", "device": "",
            "version": "", "complaint": "slow", "cause": "a cause", "remedy": "a remedy",
            "causes": ["fasttrack-missing"]}  # fmt: skip
    return Sheet.model_validate({**rest, **keys})


def test_each_sheet_is_well_formed_and_stands_once() -> None:
    assert all(map(SHEETS, FILES))
    names = [one.id for path in FILES for one in SHEETS(path)]
    assert len(names) == len(set(names)) >= 160


@pytest.mark.parametrize(
    ("keys", "score"),
    [
        ({"names": ["FastTrack"], "does": ["fasttrack-connection"]}, Score.SOLVED),
        ({"names": ["FastTrack"], "does": ["fasttrack"], "paths": {"established": "slow"}},
         Score.SOLVED),
        ({"names": ["FastTrack"], "does": ["fasttrack"], "paths": {"established": "fast"}},
         Score.WRONG),
        ({"names": ["FastTrack"], "does": ["ether9"]}, Score.PART),
        ({"names": ["FastTrack"], "does": []}, Score.PART),
        ({"names": ["no-such-word"], "does": ["fasttrack"]}, Score.MISSED),
        ({"names": ["FastTrack"], "does": ["fasttrack"], "harmful": ["connection-state"]},
         Score.HARMFUL),
    ],
)  # fmt: skip
def test_explain_is_scored_by_what_it_names_and_types(keys: object, score: Score) -> None:
    assert scored(sheet(export=EXPORT, **keys))[0] is score  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "causes", "score"),
    [
        ({"test": "no"}, ["test-on-router"], Score.SOLVED),
        ({"test": "yes", "link": "no"}, ["dns"], Score.WRONG),
        ({"test": "yes", "link": "no"}, ["slow-link"], Score.SOLVED),
        ({"test": "yes"}, ["slow-link"], Score.PART),
        ({"test": "yes"}, ["allowed-address"], Score.MISSED),
        ({"test": "yes", "link": "no"}, ["test-on-router"], Score.WRONG),
        ({"slow": "one-site"}, ["one-site"], Score.SOLVED),
        ({"slow": "one-site"}, ["disk"], Score.MISSED),
        ({"cable": "no", "cores": "yes"}, ["radio"], Score.SOLVED),
    ],
)
def test_the_dialogue_is_walked_with_what_is_known(
    known: dict[str, str], causes: list[str], score: Score
) -> None:
    total, (outcome,) = scored(sheet(known=known, causes=causes))
    assert total is outcome.score is score
    assert outcome.questions >= 1


@pytest.mark.parametrize(
    ("measured", "figures"), [(0.1, "lower"), (0.95, "one"), (1.1, "one"), (60, "lower")]
)
def test_only_what_is_about_one_mbit_is_the_rate_of_the_free_licence(
    measured: float, figures: str
) -> None:
    known = {"has": ["chr"], "expected": "1000", "measured": str(measured)}
    assert answers(sheet(known=known))["figures"] == figures


def asked_sheets(files: list[Path]) -> list[Sheet]:
    return [one for path in files for one in SHEETS(path) if one.kind != "export"]


SEEN_FILES = [path for path in FILES if path.parent.name == SEEN]


def test_the_signs_are_those_of_the_sheets_that_were_seen() -> None:
    """`make refresh` renews them."""
    assert talk().signs == signs(asked_sheets(SEEN_FILES))


def named(table: dict[str, dict[str, int]], sheets: list[Sheet]) -> float:
    """The share of the sheets of which these signs name a cause among three of more than eighty."""
    known = talk().model_copy(update={"signs": table})
    right = 0
    for one in sheets:
        first, *_ = known.offers(answers(one), "")
        right += bool({first, *known.offers(answers(one), first)} & {*one.causes})
    return right / len(sheets)


@pytest.mark.long
@pytest.mark.parametrize("part", [0, 1])
def test_signs_name_the_cause_of_sheets_that_they_were_not_made_of(part: int) -> None:
    """Clearly more often than the most frequent causes would."""
    table = signs(asked_sheets(SEEN_FILES[part::2]))
    frequent = {cause: {PRIOR: points[PRIOR]} for cause, points in table.items()}
    others = asked_sheets(SEEN_FILES[1 - part :: 2])
    assert named(table, others) > 1.4 * named(frequent, others)


def test_harm_is_not_made_good_by_another_tool() -> None:
    harmful = sheet(export=EXPORT, known={"test": "no"}, causes=["test-on-router"], harmful=["."])
    assert scored(harmful)[0] is Score.HARMFUL


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("id: one\nkind: nothing\n", "one"),
        ("- [", "seen.yml"),
        ("id: two\ncauses: [no-such]\n", "two"),
    ],
)
def test_a_sheet_that_is_not_well_formed_is_named(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / "seen.yml").write_text(text, encoding="utf-8")
    with pytest.raises(SheetError, match=names):
        list(read(tmp_path / "seen.yml"))


SEEN_EXPORTS = cache(exports)


@pytest.mark.parametrize("name", kept())
def test_the_answer_to_a_seen_export_is_as_it_was(name: str) -> None:
    """A change that is meant: read `python -m benchmarks.complaints --changed`, then `--keep`."""
    assert digest(answer(name, SEEN_EXPORTS()[name])) == kept()[name]
