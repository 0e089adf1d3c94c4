"""Published numbers, bounds and ranges: how they are written, divided, judged and shown."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import FileError, UsageError
from ppslab.judge import claims
from ppslab.judge.claims.arithmetic import share_of
from ppslab.model.lab import lab, published
from ppslab.model.lab.published import Value, parse
from ppslab.model.statistics import Interval
from ppslab.show import record_tables
from ppslab.show.figures.conditions import beside_figure

EXACTLY = [
    ("1170641", "pps", (1170641, 1170641)),
    ("5", "times", (5, 5)),
    ("-12.5", "°C", (-12.5, -12.5)),
    ("1e6", "pps", (1e6, 1e6)),
    ("600k", "pps", (600e3, 600e3)),
    (">= 600k", "pps", (600e3, math.inf)),
    (">600", "kpps", (600, math.inf)),
    ("≤ 3", "Gbit/s", (0, 3)),
    ("100-200k", "pps", (100e3, 200e3)),
    ("900k - 1.1M", "pps", (900e3, 1.1e6)),
    ("1\u20133", "Gbit/s", (1, 3)),
    # RFC 2544 appendix B: 14 880 952 frames of 64 bytes a second fill 10 Gbit/s.
    ("line 10G", "pps", (14880952.38, math.inf)),
    ("line 2x10G", "Mpps", (29.76190476, math.inf)),
    ("line", "kpps", (1488.095238, math.inf)),
]


@pytest.mark.parametrize(("text", "unit", "ends"), EXACTLY)
def test_a_value_is_what_it_says(text: str, unit: str, ends: tuple[float, float]) -> None:
    found = parse(text, unit, 64, 1e9)
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("text", "unit", "size"),
    [
        ("about 600", "pps", 64),
        ("600kk", "pps", 64),
        ("", "pps", 64),
        ("200-100", "pps", 64),
        ("600k", "kpps", 64),
        ("line", "Mbit/s", 64),
        ("line 10G", "pps", None),
        ("line", "pps", 64),
    ],
)
def test_what_is_no_value_says_why(text: str, unit: str, size: int | None) -> None:
    with pytest.raises(ValueError):
        parse(text, unit, size, None)


def test_a_ratio_of_bounds_is_a_bound_and_of_ranges_a_range() -> None:
    number, least, most = Value(2, 2), Value(6, math.inf), Value(0, 6)
    assert least.over(number) == Value(3, math.inf)
    assert number.over(least) == Value(0, 2 / 6)
    assert most.over(number) == Value(0, 3)
    assert number.over(most) == Value(2 / 6, math.inf)
    assert Value(100, 200).over(Value(50, 100)) == Value(1, 4)
    assert least.over(least).says_nothing
    said = [str(each) for each in (number, least, most, Value(1, 3))]
    assert said == ["2", "6 or more", "6 or less", "1 to 3"]


def test_shares_of_what_ports_carry() -> None:
    # In quarters, which have no rounding.
    assert share_of(4.0, [Value(1, 1), Value(2, 2)]) == Interval(0.375, 0.25, 0.5, 2)
    assert share_of(10.0, [Value(12, math.inf)]) == Interval(1.2, 1.2, math.inf, 1)


ROW = "{id},s,doc,router,7.1,routing,{condition},{size},rate,{value},{unit},{printed},page 1,,\n"


def template(folder: Path, rows: str, judge: str, names: str = "[a, b]") -> lab.Lab:
    """A copy of the template with these published rows, and one claim on them."""
    made = folder / "labs" / "mylab"
    shutil.copytree(paths.project_root() / "labs" / "_template", made)
    head = (made / "published.csv").read_text().splitlines()[0]
    (made / "published.csv").write_text(f"{head}\n{rows}")
    (made / "claims.yml").write_text(
        "claims:\n  - id: one\n    source: s\n    statement: So it is.\n"
        f"    published: {names}\n    judge:\n      {judge}\n"
    )
    return lab.load(made)


def row(name: str, condition: str, size: int | str, value: str, unit: str = "pps") -> str:
    printed = value.replace(",", "")
    return ROW.format(
        id=name, condition=condition, size=size, value=value, unit=unit, printed=printed
    )


RATIO = "ratio: {numerator: one-rule, denominator: plain, size: 64}"


def test_a_claim_on_a_line_is_judged_and_shown_as_a_bound(tmp_path: Path) -> None:
    rows = row("a", "one-rule", 64, "500k") + row("b", "plain", 64, "line 1G")
    found = template(tmp_path, rows, RATIO)
    numbers = published.load(found)
    assert numbers["b"].said.at_least and numbers["b"].line
    with pytest.raises(UsageError):
        _ = numbers["b"].value
    assert numbers["a"].shown == "500k pps"
    (judged,) = claims.judge_all(found)
    assert judged.published == "2.98 or more"
    (pair,) = record_tables.beside(found, numbers, None)
    assert pair.published_text == "at least 2.98"
    assert "published at least 2.98" in str(beside_figure([pair], None).lines[0])


def test_a_range_is_shown_as_one(tmp_path: Path) -> None:
    rows = row("a", "one-rule", 64, "100-200k") + row("b", "plain", 64, "400k")
    found = template(tmp_path, rows, RATIO)
    (pair,) = record_tables.beside(found, published.load(found), None)
    assert pair.published_text == "2 to 4"
    assert claims.judge_all(found)[0].published == "2 to 4"
    assert "published 2 to 4" in str(beside_figure([pair], None).lines[0])


def test_arithmetic_on_a_bound_decides_what_a_bound_can(tmp_path: Path) -> None:
    cases = {
        ">= 12": claims.INCONSISTENT, "<= 9": claims.CONSISTENT, ">= 9": claims.CANNOT_TELL,
    }  # fmt: skip
    for number, (value, verdict) in enumerate(cases.items()):
        found = template(
            tmp_path / str(number),
            row("a", "plain", 64, value, "Gbit/s"),
            "line_rate: {speed: 1e10, ports: 1}",
            "[a]",
        )
        assert claims.judge_all(found)[0].verdict == verdict


ONE = "ratio: {numerator: one-rule, denominator: plain, size: %s}"
LINE = "line_rate: {size: %s, speed: 1e9, ports: 1}"
SIZES = "size_ratio: {condition: plain, larger: %s, smaller: %s}"


@pytest.mark.parametrize(
    ("first", "second", "judge"),
    [
        ("plain 64 4k", "one-rule 64 2k", RATIO),
        ("one-rule 512 4k", "plain 512 8k", RATIO),
        ("plain 64 4k", "plain 1518 2k", SIZES % (1518, 64)),
        ("plain 64 4k", "plain 1518 2k", SIZES % (64, 1518)),
        ("plain 64 4k", "plain 256 2k", LINE % 256),
        ("plain 64 line_1G", "plain 64 2k", LINE % 64),
        ("one-rule 64 4k", "plain 64 8k", ONE % 128),
        ("one-rule 64 >=4k", "plain 64 >=8k", RATIO),
        ("one-rule 64 >=4k", "plain 64 8k", ONE % "64, bound: at_least"),
        ("one-rule 64 <=4k", "plain 64 8k", ONE % "64, bound: at_most"),
        # "Up to 2": equal costs agree as well, and so does a gain where a loss was claimed.
        ("one-rule 64 4k", "plain 64 8k", ONE % "64, bound: at_most"),
        ("one-rule 64 8k", "plain 64 4k", ONE % "64, bound: at_least"),
        ("one-rule 64 <=4k", "plain 64 2k", RATIO),
        # Nothing against nothing, and numbers of nobody.
        ("one-rule 64 0", "plain 64 0", 'equation: {hold: ["[a] + [b] = [b]"]}'),
        ("one-rule 64 4k", "plain 64 8k", 'equation: {hold: ["2 * [a] = [b]", "64 <= 1500"]}'),
    ],
)
def test_rows_that_do_not_fit_their_claim_are_refused_with_the_line(
    tmp_path: Path, first: str, second: str, judge: str
) -> None:
    rows = ""
    for name, words in (("a", first), ("b", second)):
        condition, size, value = words.split()
        rows += row(name, condition, size, value.replace("_", " "))
    with pytest.raises(FileError) as caught:
        claims.load(template(tmp_path, rows, judge))
    assert caught.value.path.name == "claims.yml"
    assert caught.value.line == 7


@pytest.mark.parametrize(
    ("value", "judge"),
    [
        ("4k", "ratio: {numerator: one-rule, denominator: plain, size: 64, bound: at_least}"),
        # A source that prints no drop at all is contradicted by any drop.
        ("0", 'equation: {hold: ["8000 + [a] = [b]"]}'),
    ],
)
def test_a_bound_away_from_1_and_a_0_beside_a_number_can_be_contradicted(
    tmp_path: Path, value: str, judge: str
) -> None:
    rows = row("a", "one-rule", 64, value) + row("b", "plain", 64, "8k")
    assert claims.load(template(tmp_path, rows, judge))


def test_a_wrong_cell_is_told_with_its_line(tmp_path: Path) -> None:
    rows = row("a", "plain", 64, "4k") + row("b", "plain", 64, "some")
    found = template(tmp_path, rows, RATIO)
    with pytest.raises(FileError, match=r"published.csv:3: "):
        published.load(found)


@pytest.mark.parametrize(
    ("second", "same_as", "says"),
    [
        (("plain", 64, "4k"), "a", ""),
        (("plain", 64, "4k"), "", ""),
        (("plain", 64, "4k"), "c", "no earlier row"),
        (("plain", 64, "4k"), "b", "no earlier row"),
        (("plain", 64, "5k"), "a", "another condition, size or value"),
        (("plain", 512, "4k"), "a", "another condition, size or value"),
        (("one-rule", 64, "4k"), "a", "another condition, size or value"),
    ],
)
def test_a_row_says_whose_measurement_it_is(
    tmp_path: Path, second: tuple[str, int, str], same_as: str, says: str
) -> None:
    found = template(tmp_path, row("a", "plain", 64, "4k") + row("b", *second), RATIO)
    path = found.folder / "published.csv"
    head, first, other = path.read_text().splitlines()
    path.write_text(f"{head},same_as\n{first},\n{other},{same_as}\n")
    if not says:
        assert published.load(found)["b"].same_as == same_as
        return
    with pytest.raises(FileError, match=rf"published.csv:3: .*{says}"):
        published.load(found)


def test_a_row_names_the_measurement_itself_and_no_copy_of_it(tmp_path: Path) -> None:
    rows = "".join(row(name, "plain", 64, "4k") for name in ("a", "b", "c"))
    found = template(tmp_path, rows, RATIO)
    path = found.folder / "published.csv"
    head, *three = path.read_text().splitlines()
    ends = ("same_as", "", "a", "b")
    lines = (f"{line},{end}\n" for line, end in zip((head, *three), ends, strict=True))
    path.write_text("".join(lines))
    with pytest.raises(FileError, match=r"published.csv:4: .*'b' is 'a' itself"):
        published.load(found)
