"""The words for TCP in lab.yml: pairs of hosts, loads by condition, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.measure import tcp
from ppslab.model.lab import lab
from ppslab.model.lab.tcp_schema import DIRECTIONS, EmulatedLoad, Tcp, TcpLoad

HEAD = """title: Words
topology: hundred
router: chr
tester: s01a
ports: {p1: eth1}
reference: one
"""
PAIR = "[{host: s01a, address: 198.18.1.2}, {host: s03, address: 198.18.2.2}]"


def load(folder: Path, words: str, condition: str = "") -> lab.Lab:
    text = f"{HEAD}tcp:\n{words}conditions:\n  - {{name: one, title: One{condition}}}\n"
    (folder / "lab.yml").write_text(text)
    return lab.load(folder)


def test_pairs_talk_both_ways_at_their_addresses(tmp_path: Path) -> None:
    found = load(tmp_path, f"  pairs: {{a: [{PAIR}], b: [{PAIR}, {PAIR}]}}\n")
    words = found.spec.tcp
    assert words is not None
    assert list(words.nodes) == ["s01a", "s03"]
    ((there, back),) = tcp.ends(found, words, found.condition("one"))
    assert (there.client, there.server, there.address) == ("s01a", "s03", "198.18.2.2")
    assert (back.client, back.server, back.address) == ("s03", "s01a", "198.18.1.2")
    assert words.directions == DIRECTIONS


def test_a_condition_has_pairs_and_streams_of_its_own(tmp_path: Path) -> None:
    words = f"  pairs: {{a: [{PAIR}], b: [{PAIR}, {PAIR}]}}\n"
    found = load(tmp_path, words, ", tcp: {pairs: b, streams: 1}")
    condition, said = found.condition("one"), found.spec.tcp
    assert said is not None
    assert len(tcp.ends(found, said, condition)) == 2
    assert (said.instances_of(condition.tcp), said.streams_of(condition.tcp)) == (3, 1)
    assert (said.instances_of(None), said.streams_of(TcpLoad())) == (3, 10)


def test_tcp_is_compared_with_a_condition_of_its_own_or_the_labs() -> None:
    assert lab.find("hundred").spec.tcp_reference == "lacp-layer2"
    assert lab.find("hundred").spec.reference == "two-ports"
    assert lab.find("queues").spec.tcp_reference == lab.find("queues").spec.reference


def test_emulated_cpus_get_less() -> None:
    words = Tcp(hosts={"p1": "a", "p2": "b"}, emulated=EmulatedLoad(instances=1, rounds=2))
    scaled = words.under_emulation()
    assert (scaled.instances, scaled.streams, scaled.rounds) == (1, 10, 2)
    whole = Tcp(hosts={"p1": "a", "p2": "b"})
    assert whole.under_emulation() == whole


@pytest.mark.parametrize(
    ("words", "condition", "said"),
    [
        ("  streams: 1\n", "", "either hosts .* or pairs"),
        (f"  hosts: {{p1: a, p2: b}}\n  pairs: {{a: [{PAIR}]}}\n", "", "one of the two"),
        ("  hosts: {p1: a}\n", "", "two at least"),
        ("  pairs: {a: []}\n", "", "one pair at least"),
        (f"  pairs: {{a: [{PAIR.replace('s03', 's01a')}]}}\n", "", "talk to itself"),
        (f"  pairs: {{a: [{PAIR.replace('198.18.2.2', 'x')}]}}\n", "", "'x'"),
        (f"  pairs: {{a: [{PAIR}]}}\n", ", tcp: {pairs: aa}", r"no pairs 'aa'.*'a'|did you mean"),
        (f"  pairs: {{a: [{PAIR}]}}\n  conditions: [two]\n", "", "tcp: no condition 'two'"),
        (f"  pairs: {{a: [{PAIR}]}}\n  reference: two\n", "", "tcp: no condition 'two'"),
        (f"  pairs: {{a: [{PAIR}]}}\n  directions: [up]\n", "", "there"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, words: str, condition: str, said: str
) -> None:
    with pytest.raises(FileError, match=said) as caught:
        load(tmp_path, words, condition)
    assert caught.value.line
