"""What a router printed, as answers to the questions of "My router only does X Mbit/s"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.course.learning import slow
from ppslab.course.models.slow import answer, milliseconds, rate
from tests.course.models.both import both

DIALOGUE = slow.load(Path(__file__).parents[3] / slow.FILE)
FACTS = DIALOGUE.facts()

UNREAD = {"interrupts"}
"""Whose output no reader reads: the names of interrupts differ from driver to driver."""
UNDECIDED = {"ipsec", "both-lines", "container", "mss", "vlan-filtering", "frequency", "veth",
             "session-limit"}  # fmt: skip
"""Whose bad output alone does not decide: it says that there is something to look at."""

PROMPT = "[admin@MikroTik] > "


def asked(text: str, command: str = "") -> dict[str, str]:
    """Question to answer, of one text; empty: undecided."""
    given = answer({"printed": {"name": "x", "text": text}, "command": command}, FACTS)
    return {each["question"]: each["answer"] for each in given["answers"]}


def cases() -> Iterator[tuple[Any, str, str]]:
    """Each example of the page: its question, its text, and the answer that it is shown for."""
    for question in DIALOGUE.questions:
        for name, given in question.answers.items():
            if given.shows:
                yield question, given.shows, name


def test_the_page_s_own_examples_answer_their_question() -> None:
    for question, text, wanted in cases():
        command = question.command.split("\n")[0]
        bare, prompted = asked(text, command), asked(f"{PROMPT}{command}\n{text}")
        if question.id in UNREAD:
            assert bare == prompted == {}, question.id
        else:
            open_ = wanted == "no" and question.id in UNDECIDED
            answer = "" if open_ else wanted
            assert bare[question.id] == prompted[question.id] == answer, (question.id, wanted)


PRINTED = yaml.safe_load(Path(__file__).with_name("printed.yml").read_text(encoding="utf-8"))
SEVERAL = PRINTED[0]["printed"]


def test_a_text_answers_what_it_answers() -> None:
    for row in PRINTED:
        assert asked(row["printed"], row["command"]) == row["answers"], row["printed"]


def test_of_a_text_only_what_answers_is_said() -> None:
    def given(text: str, command: str = "") -> dict[str, Any]:
        return answer({"printed": {"name": "x", "text": text}, "command": command}, FACTS)

    several = given(SEVERAL)
    assert several["values"]["board"] == "hEX"
    assert any("tx-drop: ether2 91204." in each for each in several["says"])
    # Drops are added over directions and queues.
    drops = "0 name=a dropped=1 204/1 total-dropped=1 205\n1 name=b dropped=4/0"
    says = given(drops, "/queue simple print stats")["says"]
    assert says == ["The simple queues dropped 1209 packets."]
    unread = given(f"{PROMPT}/user/print\nsecret")
    assert unread["answers"] == [] and "/user/print" in unread["warns"][0]
    log = "system,info user secret logged in\ninterface,info ether1 link down"
    known = given(f"{PROMPT}/log/print\n{log}")
    assert known["answers"][0]["answer"] == "link"
    assert "secret" not in f"{unread}{known}"


@pytest.mark.parametrize(
    ("read", "text", "number"),
    [*((rate, text, bits) for text, bits in [
        ("975.0Mbps", 975e6), ("1Gbps", 1e9), ("2.5Gbps", 2.5e9), ("0bps", 0.0),
        ("310.5kbps", 310_500.0), ("fast", None), ("xMbps", None)]),
     *((milliseconds, text, time) for text, time in [
        ("4ms", 4.0), ("12ms340us", 12.34), ("1s20ms", 1020.0), ("3d4h12m8s", 274_328_000.0),
        ("timeout", None), ("", None), ("58", None)])],
)  # fmt: skip
def test_rates_and_times(
    read: Callable[[str], float | None], text: str, number: float | None
) -> None:
    assert read(text) == (None if number is None else pytest.approx(number))


def test_the_page_s_python_answers_the_same() -> None:
    texts = [(row["printed"], row["command"]) for row in PRINTED]
    texts += [(text, question.command) for question, text, _ in cases()]
    both("slow", [{"printed": {"name": "x", "text": t}, "command": c} for t, c in texts])
