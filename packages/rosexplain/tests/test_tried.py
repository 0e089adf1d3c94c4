"""A change that is tried does what somebody who knows RouterOS says of it.

`tried.txt`: `+++ NAME` a router, `=== NAME < ROUTER` what is typed at it; behind `>>>` what an
expert expects: the classes that are faster, slower or on another path, the kinds of harm, and new
warnings.  What is not written there does not happen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rosexplain import parse, tried, typed
from rosexplain.base import base

CASES = Path(__file__).with_name("tried.txt")


def read() -> list[object]:
    routers: dict[str, str] = {}
    cases = []
    routes, *blocks = ("\n" + CASES.read_text(encoding="utf-8")).split("\n=== ")
    for block in routes.split("\n+++ ")[1:]:
        name, _, text = block.partition("\n")
        routers[name] = text + "\n"
    for block in blocks:
        head, _, body = block.partition("\n")
        name, _, router = head.partition(" < ")
        change, _, expected = body.partition(">>>")
        words = {" ".join(line.split()[:1] + [word])
                 for line in expected.splitlines() for word in line.split()[1:]}  # fmt: skip
        cases.append(pytest.param(routers[router], change, words, id=name))
    return cases


def differences(plain: dict[str, Any]) -> set[str]:
    """`faster established`, `lost plain`, `warns fasttrack-and-ipsec`."""
    said = {
        f"{row['change']} {row['class']}" for row in plain["classes"] if row["change"] != "same"
    }
    said |= {f"{harm['part']} {harm['kind']}" for harm in plain["harms"]}
    return said | {f"warns {name}" for name in plain["warned"]}


@pytest.mark.parametrize(("router", "change", "expected"), read())
def test_a_change_does_what_an_expert_says(router: str, change: str, expected: set[str]) -> None:
    export = parse.parsed(router, "router.rsc")
    plain = tried.compared(
        *tried.behind([export], typed.applied([export], change, "--try"), base(), [], [])
    )
    assert differences(plain) == expected
    assert plain["worse"] == any(word.split()[0] in ("lost", "slower") for word in expected)
