"""One packet: what the firewall sees of it, whither it goes, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from rosexplain import firewall
from rosexplain.trace import NoInterfaceError
from tests.course.models.both import both
from tests.model.packet_path.explain.one_asked import EXAMPLE, FORWARD, HOME, TO_SERVER, walked


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["explain", *words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--packet", "in=brdige dst=1.1.1.1"), '(did you mean "bridge"?)'),
        (("--packet", "in=bridge out=nosuch"), "'nosuch'"),
        (("--without", "999"), "line 999 of "),
        (("--without", "3"), "line 3 of "),
        (("--without", "other.rsc:5"), "other.rsc"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_wrong_argument(words: tuple[str, str], said: str) -> None:
    wrong = run(str(EXAMPLE), *words).exception
    assert isinstance(wrong, UsageError) and wrong.exit_code == 2
    assert said in str(wrong) and "\n" not in str(wrong)


def test_a_port_that_a_compact_export_leaves_out_is_taken() -> None:
    packet = walked(HOME, "in=ether7 dst=1.1.1.1:443/tcp new")
    assert packet["in"] == ["ether7"]
    assert "ether7" in packet["says"][0]
    with pytest.raises(NoInterfaceError, match=r"'LAN'.*\(bridge\)"):
        walked(HOME, "in=LAN dst=1.1.1.1")
    assert walked(HOME + "/interface ethernet\nset ether7 mtu=1492\n", "in=ether7")["says"] == []
    renamed = HOME + "/interface ethernet\nset [ find default-name=ether5 ] name=dmz\n"
    with pytest.raises(NoInterfaceError, match=r"'ether5'.*'dmz'"):
        walked(renamed, "in=ether5 dst=1.1.1.1:443/tcp new")


@pytest.mark.long
def test_the_page_says_the_same() -> None:
    asked = ["in=ether2 dst=192.168.88.1:53/udp new", TO_SERVER + "new", "in=nosuch dst=1.1.1.1",
             "in=ether1 dst=192.168.88.5:80/tcp new", "dst=[fe80::1]:80/tcp", "dst=127.0.0.1",
             "in=ether2 dst=192.168.88.5/tcp", TO_SERVER + "established"]  # fmt: skip
    text = FORWARD.replace("dst-port=443", "dst-port=443 src-address=198.51.100.0/24")
    given = [{"export": {"name": "x", "text": text}, "packet": packet} for packet in asked]
    answers = both("explain", given)
    problems = [answer["problem"]["says"] for answer in answers if "problem" in answer]
    (problem,) = problems
    assert "'nosuch'" in problem


def test_they_come_in_by_no_interface() -> None:
    with pytest.raises(ValueError, match="chain=output"):
        firewall.parsed("chain=output in=ether1 dst=1.1.1.1")
