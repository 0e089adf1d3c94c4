"""What pages and the dialogue print for a reader's router, typed into example routers and probed.

pages.yml says which router a page is for, and what takes something away on purpose.  Everything is
typed into every router: a reader may have a second uplink, a tunnel, VLANs, queues or BGP.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.course.models.cases import remedy
from rosexplain import explain, probes, traffic
from rosexplain.menu_words import CHANGES
from rosexplain.packet import Protected, parsed
from tests.course.page_commands import blocks
from tests.course.page_commands.blocks import ELSE, OWN, ROUTERS, Block


class Own(StrictModel):
    """Which router a page, or those of its blocks with the words `words`, is for."""

    page: str
    words: str = Field(default="", alias="with")
    after: str = ""
    router: str


class Unseen(StrictModel):
    """Commands that change nothing that an export shows."""

    begins: str
    because: str


class Harmful(StrictModel):
    """A block that takes something away, the kinds, and the words that say so before it.

    `own`: kinds of harm about packets that the block's own rules match.
    """

    at: str
    words: str = Field(default="", alias="with")
    kinds: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    says: str

    def harms(self) -> list[tuple[str, str]]:
        """As `blocks.harms` names them."""
        return [(kind, ELSE) for kind in self.kinds] + [(kind, OWN) for kind in self.own]


class Once(StrictModel):
    """Commands that did harm in silence, a router on which they did, and the kinds of harm."""

    router: str
    kinds: tuple[str, ...]
    script: str


class Pages(StrictModel):
    """pages.yml."""

    own: tuple[Own, ...]
    unseen: tuple[Unseen, ...]
    harms: tuple[Harmful, ...]
    once: tuple[Once, ...]


PAGES = fitting.validate(documents.load_yaml(Path(__file__).parent / "pages.yml"), Pages)
ON_PAGES, OF_DIALOGUE = blocks.on_pages(), blocks.of_dialogue()
EVERY = [*ON_PAGES, *OF_DIALOGUE]
DEFAULT = "home"


def name_of(block: Block) -> str:
    return f"{block.page}:{block.line}" if block.line else block.page


def own_of(block: Block) -> Own:
    for own in PAGES.own:
        if own.page == block.page and block.has(own.words):
            return own
    return Own.model_validate({"page": block.page, "router": DEFAULT})


def before_of(block: Block, own: Own) -> tuple[str, ...]:
    """The commands of the block of the same page that is typed first."""
    if not own.after:
        return ()
    every = [each for each in EVERY if each.page == block.page and each is not block]
    [first] = [each for each in every if each.has(own.after)]
    return first.commands


def unseen(command: str) -> bool:
    return any(command.startswith(each.begins) for each in PAGES.unseen)


def listed(block: Block) -> list[Harmful]:
    return [each for each in PAGES.harms if each.at == block.page and block.has(each.words)]


def without_effect(block: Block, applied: remedy.Applied) -> list[str]:
    """The commands that the router refused, or that changed nothing."""
    lines = [line for line, _ in applied.refused]
    lines += [line for line, why in applied.notes if why != remedy.SO_ALREADY]
    lines += [text for text in block.commands if blocks.verb(text) not in CHANGES]
    return [line for line in lines if not unseen(line)]


@pytest.mark.parametrize("block", ON_PAGES, ids=name_of)
def test_a_page_s_router_takes_every_command_that_the_page_prints(block: Block) -> None:
    own = own_of(block)
    applied = blocks.typed(block, own.router, before_of(block, own))
    assert without_effect(block, applied) == []
    assert applied.changes or all(map(unseen, block.commands))


@pytest.mark.parametrize("block", OF_DIALOGUE, ids=name_of)
def test_some_router_takes_every_command_of_a_cause(block: Block) -> None:
    every = (blocks.typed(block, router) for router in ROUTERS)
    whole = (applied for applied in every if not without_effect(block, applied))
    no_change = all(map(unseen, block.commands))
    assert any(applied.changes or no_change for applied in whole)


@pytest.mark.long
@pytest.mark.parametrize("block", EVERY, ids=name_of)
def test_commands_do_no_harm_but_what_is_said_before_them(block: Block) -> None:
    found: dict[tuple[str, str], str] = {}
    for router in ROUTERS:
        found = blocks.harms(block, router) | found
    rows = listed(block)
    assert sorted(found) == sorted(harm for row in rows for harm in row.harms()), found
    for row in rows:
        assert " ".join(row.says.split()) in " ".join(block.read.split())


def test_every_row_is_of_a_block_that_is_there() -> None:
    for harmful in PAGES.harms:
        assert len([block for block in EVERY if harmful in listed(block)]) == 1, harmful
        assert harmful.harms() and {kind for kind, _ in harmful.harms()} <= set(probes.KINDS)
    for own in PAGES.own:
        assert own.router in ROUTERS
        assert any(own_of(block) is own for block in ON_PAGES), own
    for row in PAGES.unseen:
        commands = [text for block in EVERY for text in block.commands]
        assert any(text.startswith(row.begins) for text in commands), row


@pytest.mark.parametrize("once", PAGES.once, ids=lambda once: once.router)
def test_the_probes_see_what_was_printed_once(once: Once) -> None:
    found = blocks.harms(Block("", 0, "", blocks.changing(once.script)), once.router)
    assert sorted(kind for kind, side in found if side == ELSE) == sorted(once.kinds), found


def test_wireguard_s_rules_are_there_where_no_rule_drops() -> None:
    [block] = [each for each in ON_PAGES if each.has("listen-port=13231") and each.line]
    applied = blocks.typed(block, "bench")
    rows = explain([applied.router, applied.typed]).net.rows.of("/ip/firewall/filter")
    assert [row.get("chain") for row in rows] == ["input", "forward"]
    moved = [line for line, _ in applied.refused]
    assert len(moved) == 2 and all(blocks.verb(line) == "move" for line in moved)


TUNNEL = [
    ("in", "in=ether1 src=10.1.101.5:4000 dst=10.1.202.9:445/tcp established"),
    ("out", "in=bridge src=10.1.202.9:445 dst=10.1.101.5:4000/tcp established"),
]
"""A connection between the sites, as it comes out of the tunnel and goes into it."""
PLACED = " place-before=[find where action=fasttrack-connection]"


def tunnel_of(block: Block) -> tuple[bool, bool]:
    """Whether the policy's packets stay out of FastTrack, and whether they pass the firewall."""
    applied = blocks.typed(block, "site")
    explanation = explain([applied.router, applied.typed])
    [policy] = explanation.net.rows.of("/ip/ipsec/policy")
    passing = []
    for way, text in TUNNEL:
        packet, given = Protected(way), parsed(text)
        for name in ("chain", "ins", "src", "dst", "protocols", "src_port", "dst_port"):
            setattr(packet, name, getattr(given, name))
        passing.append(probes.passes(explanation, packet) == probes.ALL)
    return traffic.kept_out(explanation.net, policy), all(passing)


@pytest.mark.parametrize(
    "block",
    [
        each
        for each in EVERY
        if each.page in ("book/fasttrack/router.md", "ipsec-and-fasttrack")
        and not each.has("comment=fasttrack")
    ],
    ids=name_of,
)
def test_ipsec_s_packets_pass_outside_of_fasttrack_where_the_rules_are_placed(block: Block) -> None:
    assert block.has(PLACED)
    assert tunnel_of(block) == (True, True)
    behind = tuple(command.replace(PLACED, "") for command in block.commands)
    assert tunnel_of(replace(block, commands=behind)) != (True, True)


def test_before_these_commands_fasttrack_takes_ipsec_s_packets() -> None:
    assert tunnel_of(Block("", 0, "", ())) == (False, True)
