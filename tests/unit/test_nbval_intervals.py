"""Stored and new numbers agree where their intervals do, and only there."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_output

from ppslab.nbval_intervals import disagreements, reconcile, visible


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("a  1.8 [1.7, 1.9]", "a   1.95 [1.9, 2.0]"),
        ("a 1.8 [1.7, 1.9]", "a 2.2 [2.1, 2.3]"),  # apart, but by less than the tolerance
        ("a 213 [205, 222] ns", "a 640 [600, 680] ns"),  # absolute times drift
        ("a 1.54 Mpps", "a 410 kpps (tester-limited)"),
        ("provenance: router: linux; kernel 6.1", "provenance: router: linux; kernel 6.18"),
        ("x: order holds", "x: order undecided"),
        ("c 1 [0.9, 1.1] inconclusive", "c 1 [0.9, 1.1] reproduced"),
        ("head\n----  ---\nrow", "head\n-------  ------\nrow"),
    ],
)
def test_noise_agrees(stored: str, new: str) -> None:
    assert disagreements(stored, new) == []


@pytest.mark.parametrize(
    ("stored", "new", "why"),
    [
        ("a 1.8 [1.7, 1.9]", "a 3.1 [3.0, 3.2]", "intervals differ"),
        ("a 1.8 [1.7, 1.9]", "a 0.55 [0.5, 0.6]", "intervals differ"),
        ("a 1.8 [1.7, 1.9]", "a -", "words differ"),
        ("a 213 [205, 222] ns", "a -", "words differ"),
        ("a 1.8 [1.7, 1.9] ns", "a 1.8 [1.7, 1.9]", "another kind"),
        ("x: order holds", "x: order broken", "verdict moved"),
        ("c reproduced", "c contradicted", "verdict moved"),
        ("c reproduced", "c holds", "another kind"),
        ("10 of 10 conditions measured", "9 of 10 conditions measured", "words differ"),
        ("a\nb", "a", "lines"),
        ("provenance: router: linux; seed: 3", "provenance: seed: 3", "provenance"),
        ("published 2.27", "published 2.72", "words differ"),
    ],
)
def test_more_than_noise_does_not(stored: str, new: str, why: str) -> None:
    found = disagreements(stored, new)
    assert found
    assert why in str(found[0])


def test_a_zero_tolerance_leaves_the_intervals_as_they_are() -> None:
    assert disagreements("1.8 [1.7, 1.9]", "2.0 [1.95, 2.1]", 0.0)
    assert not disagreements("1.8 [1.7, 1.9]", "2.0 [1.9, 2.1]", 0.0)


def test_a_page_is_compared_by_what_is_seen_and_not_marked_aside() -> None:
    html = (
        "<table><tr><td>a</td><td>1.8 [1.7, 1.9]</td><td data-aside>why <b>so</b></td></tr>"
        "</table><svg><text>no</text><path d='M 0 0'/></svg><p>below &amp; after<br>all</p>"
    )
    said = " ".join(visible(html).split())
    assert said == "a 1.8 [1.7, 1.9] below & after all"


def test_outputs_that_agree_become_the_stored_ones() -> None:
    stored = [new_output("execute_result", {"text/plain": "a 1.8 [1.7, 1.9]"})]
    new = [new_output("execute_result", {"text/plain": "a 1.9 [1.8, 2.0]"})]
    assert reconcile(stored, new) == []
    assert new == stored


def test_outputs_that_disagree_stay_and_are_named() -> None:
    stored = [new_output("stream", name="stdout", text="a 1.8 [1.7, 1.9]\n")]
    new = [new_output("stream", name="stdout", text="a 9 [8, 10]\n")]
    found = reconcile(stored, new)
    assert "9 [8, 10]" in str(found[0])
    assert new[0]["text"] == "a 9 [8, 10]\n"


@pytest.mark.parametrize(("kernel", "agree"), [("6.18.44", False), ("6.1.0-44-amd64", True)])
def test_another_kernel_may_differ_more(kernel: str, agree: bool) -> None:
    def output(ratio: str, where: str) -> dict[str, str]:
        made = f"a {ratio}\nprovenance: router: linux; backend: namespaces; kernel {where}; x"
        return {"text/plain": made}

    stored = [new_output("execute_result", output("1.8 [1.7, 1.9]", "6.18.44"))]
    new = [new_output("execute_result", output("2.7 [2.6, 2.8]", kernel))]
    assert (reconcile(stored, new) == []) == agree
