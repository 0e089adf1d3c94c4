"""One packet: what the firewall sees of it, whither it goes, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from asked import EXAMPLES, ask

from rosexplain import firewall, trace
from rosexplain.__main__ import main
from rosexplain.trace import NoInterfaceError

EXAMPLE = EXAMPLES / "home.rsc"
HOME = EXAMPLE.read_text(encoding="utf-8")


def walked(text: str, asked: str) -> dict[str, Any]:
    return trace.walked(ask(text).net, firewall.parsed(asked))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--packet", "in=brdige dst=1.1.1.1"), "it has bridge, ether2"),
        (("--packet", "in=bridge out=nosuch"), "'nosuch'"),
        (("--without", "999"), "line 999 configures nothing"),
        (("--without", "3"), "line 3 configures nothing"),
        (("--without", "other.rsc:5"), "the number of a line"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_wrong_argument(
    words: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(EXAMPLE), *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


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


def test_they_come_in_by_no_interface() -> None:
    with pytest.raises(ValueError, match="chain=output"):
        firewall.parsed("chain=output in=ether1 dst=1.1.1.1")
