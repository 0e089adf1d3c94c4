"""Claims that the published numbers decide alone."""

from __future__ import annotations

import math

import pytest

from ppslab.judge import claims
from ppslab.judge.claims import arithmetic
from ppslab.judge.claims.arithmetic import ExpressionError
from ppslab.judge.claims.verdicts import Finding
from ppslab.model.lab import lab, published
from ppslab.model.lab.published_value import Value

ROWS = {"a": Value(6, 6), "b": Value(2, 2), "least": Value(250, math.inf), "some": Value(1, 3)}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[a] / [b]", Value(3, 3)),
        ("([a] - [b]) * 10 + 1.5", Value(41.5, 41.5)),
        ("[a] * [some]", Value(6, 18)),
        ("[a] - [some]", Value(3, 5)),
        ("min([a], [b], [some])", Value(1, 2)),
        ("max([a], [least])", Value(250, math.inf)),
    ],
)
def test_what_an_expression_comes_to(expression: str, value: Value) -> None:
    assert arithmetic.value(expression, ROWS) == value


@pytest.mark.parametrize(
    "expression",
    ["[c]", "a", "[a] ** 2", "__import__('os')", "[a].low", "[a] +", "print([a])", "'a'", "-[a]"],
)
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError):
        arithmetic.value(expression, ROWS)


def test_a_sentence_has_one_sign() -> None:
    assert arithmetic.sides("[a] >= 2 * [b]") == ("[a]", ">=", "2 * [b]")
    for wrong in ("[a] + [b]", "[a] = [b] = 2"):
        with pytest.raises(ExpressionError, match="has not one of"):
            arithmetic.sides(wrong)


def of(*hold: str, within: float = 0.0) -> claims.Judged:
    """A claim of arithmetic on rows of the lab on L3 hardware offload."""
    numbers = published.load(lab.find("l3offload"))
    names = [name for name in numbers if any(f"[{name}]" in each for each in hold)]
    word = claims.Equation(hold=hold, within=within)
    return word.from_print([numbers[name] for name in names])


def verdict(finding: Finding) -> str:
    return claims.verdict_of(claims.ARITHMETIC, finding.comparison)


def test_all_sentences_must_hold_and_the_one_that_does_not_is_told() -> None:
    ports = "[product-page-switching] = [port-capacity] / 672"
    assert verdict(of(ports, within=0.01)) == claims.CONSISTENT
    assert verdict(of(ports, within=0.0001)) == claims.INCONSISTENT
    more = "[product-page-switching] / [cpu-many-addresses-out] >= 300"
    found = of(ports, more, within=0.01)
    assert verdict(found) == claims.INCONSISTENT
    assert found.reason.startswith("1 of 2 hold; \u201c65.5 Mpps\u201d / \u201c249")
    assert found.interval and found.interval.estimate == pytest.approx(262.6 / 300, rel=0.01)


def test_every_sum_of_the_sources_that_a_claim_names_is_calculated_from_its_rows() -> None:
    """A row that is typed wrong breaks the sums that it stands in."""
    for name in lab.names():
        found = lab.find(name)
        for judged in claims.judge_all(found):
            if judged.evidence == claims.ARITHMETIC:
                assert judged.verdict in (claims.CONSISTENT, claims.INCONSISTENT)
                assert judged.measured is not None
