"""What made a number: the facts of its run, the line below it, the badge beside its title."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ppslab.core.provenance import INTERVAL, LABELS, Provenance, together
from ppslab.core.text.display import sign_html
from ppslab.core.text.tables import Table, cells

LINUX = Provenance(
    started="2026-11-21 08:29",
    subject="router",
    name="linux",
    backend="namespaces",
    kernel="6.1",
    profile="quick",
)
CHR = replace(
    LINUX, name="routeros", version="7.20.8", board="CHR QEMU Standard PC", backend="containerlab"
)


@pytest.mark.parametrize(
    ("changed", "label"),
    [
        ({}, "measured on Linux"),
        ({"backend": "vm", "emulation": "kvm"}, "measured on Linux"),
        ({"backend": "vm", "emulation": "tcg"}, "measured on Linux, CPU emulated"),
        ({"kernel": "emulation"}, "measured on Linux"),
        ({"name": "routeros", "board": "CHR"}, "measured on CHR"),
        ({"name": "routeros", "board": "CHR QEMU Standard PC"}, "measured on CHR"),
        ({"name": "routeros", "board": "CCR2004-16G-2S+"}, "measured on RouterOS"),
        ({"name": "routeros"}, "measured on RouterOS"),
        ({"subject": "tester", "name": "ppstraffic"}, "measured on the tester alone"),
    ],
)
def test_the_facts_name_the_kind(changed: dict[str, Any], label: str) -> None:
    assert LABELS[replace(LINUX, **changed).kind] == label


def test_a_table_of_two_runs_names_both_and_each_once() -> None:
    both = together([LINUX, None, CHR, LINUX])
    assert both is not None
    assert both.runs == (LINUX, CHR)
    assert both.sentence == f"{LINUX.sentence}; {CHR.sentence}"
    shown = Table("T", ("a",), (cells("1"),), provenance=both).html()
    for label in ("measured on Linux", "measured on CHR"):
        assert shown.count(f">{label}</span>") == 1
    assert together([LINUX]) == LINUX
    assert together([None]) is None


def test_the_sign_says_each_run_and_then_what_holds_for_all() -> None:
    blind = [replace(each, cannot_show="<no> switch chip") for each in (LINUX, CHR)]
    both = together(blind)
    assert both is not None
    sign = both.sign(interval=INTERVAL, more=[("ppslab", "abc")])
    assert [label for _, label in sign["badges"]] == ["measured on Linux", "measured on CHR"]
    assert [part[0] for part in sign["parts"][:2]] == [
        ["router", "linux"],
        ["router", "routeros 7.20.8 CHR QEMU Standard PC"],
    ]
    assert [term for term, _ in sign["parts"][2]] == ["interval", "cannot show", "ppslab"]
    assert "<dd>&lt;no&gt; switch chip</dd>" in sign_html(sign)
    assert "cannot show" not in both.sentence


def test_the_facts_survive_as_data() -> None:
    both = together([LINUX, CHR])
    assert both is not None
    for made in (LINUX, both):
        assert Provenance.of(json.loads(json.dumps(made.data()))) == made
