"""The lab pppoe: the slide's table, and sessions that carry, cut and encrypt what they should."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ppslab.core import units
from ppslab.core.errors import CannotHereError
from ppslab.judge import claims
from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles, published
from ppslab.model.results import Trial
from ppslab.model.results.shapes import Counts
from ppslab.testbed.backends import capabilities
from tests.conftest import Opened
from tests.system.labs import draining

pytestmark = pytest.mark.guest

PPPOE = lab.find("pppoe")
NUMBERS = published.load(PPPOE)

# The slide "Mikrotik Comparison", typed from the slides and not from published.csv.
SIZES = (64, 512, 1024, 1280, 1518)
SLIDE = {
    "plain-6-7": "294,828 305,358 302,276 305,326 N/A",
    "plain-6-8rc1": "5,519,320 4,633,852 2,376,862 1,912,372 N/A",
    "plain-tracking-6-7": "277,156 260,386 192,272 183,856 83,844",
    "plain-tracking-6-8rc1": "2,730,596 2,462,744 2,103,608 1,910,588 80,028",
    "encrypted-6-7": "71,730 51,084 37,940 33,894 N/A",
    "encrypted-6-8rc1": "212,052 239,322 228,588 208,552 N/A",
    "encrypted-tracking-6-7": "56,286 43,412 33,318 29,754 19,358",
    "encrypted-tracking-6-8rc1": "234,840 234,962 226,366 208,552 29,004",
}

SESSIONS = 7 + 8
FRAMES, RATE = 200, 1000.0
"""Fewer frames than the router's backlog holds: none is lost because the machine is late."""
LEARNT = 5
"""Frames of a stream before the trial."""


# --- the data --------------------------------------------------------------------------------


def test_every_number_of_the_slide_stands_in_its_place() -> None:
    for row, line in SLIDE.items():
        for size, printed in zip(SIZES, line.split(), strict=True):
            found = NUMBERS[f"ccr1036-{row}-{size}"]
            assert (found.printed, found.frame_size) == (printed, size)
            if printed == "N/A":
                assert found.said.says_nothing
            else:
                assert found.value == float(printed.replace(",", ""))
    assert len(NUMBERS) == len(SLIDE) * len(SIZES) + 1


def test_the_wire_is_the_limit_with_eight_bytes_more_and_not_without() -> None:
    for size in (512, 1024, 1280):
        rate = NUMBERS[f"ccr1036-plain-6-8rc1-{size}"].value
        assert rate == pytest.approx(2 * units.line_rate(size + 8, 10e9), rel=0.002)
        assert rate != pytest.approx(2 * units.line_rate(size, 10e9), rel=0.004)


def test_both_ends_have_the_same_services_and_secrets() -> None:
    folder = PPPOE.folder / "linux"
    secrets = [(folder / end / "chap-secrets").read_text() for end in ("server", "client")]
    assert secrets[0] == secrets[1]
    users = {line.split()[0] for line in secrets[0].splitlines() if not line.startswith("#")}
    server, client = ((folder / end / "start").read_text() for end in ("server", "client"))
    assert users == set(re.findall(r"^serve (\S+)", server, re.MULTILINE))
    assert users == set(re.findall(r"\bdial ([a-z]\S+)", client))
    assert all((folder / "server" / user).is_file() for user in users)


def test_routeros_has_a_secret_for_every_session_and_the_streams_use_them() -> None:
    server = PPPOE.text("routeros/server.rsc") + PPPOE.text("routeros/vlan-server.rsc")
    routes = set(re.findall(r"routes=\"?198\.19\.2\.(\d+|\$n)/32", server))
    used = {
        str(flow.internet.src if isinstance(flow.internet.src, str) else "$n").split(".")[-1]
        for name, flows in PPPOE.spec.flows.items()
        for flow in flows
        if flow.tx_name == "p2"
        and name not in ("no-tunnel", "reassembled", "encrypted-reassembled")
    }
    # What RouterOS puts together it puts together in the sessions `plain` and `encrypted`.
    assert used == routes


def test_each_row_of_the_slide_is_claimed_once_or_more() -> None:
    claimed = Counter(row for claim in claims.load(PPPOE) for row in claim.published)
    assert set(claimed) == set(NUMBERS)


# --- the sessions ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def testbed(opened: Opened) -> Iterator[FrameTestbed]:
    """The lab on a kernel that has PPPoE: this one, or a guest's."""
    needs = frozenset({"pppoe", "mppe", "nft", "conntrack"})
    try:
        choice = capabilities.choose(needs, "auto")
    except CannotHereError as error:
        pytest.skip(str(error))
    with ExitStack() as stack:
        yield stand(stack, opened(choice.backend), PPPOE, profiles.load("quick"))


def counted(testbed: FrameTestbed, condition: str, size: int, *, all_are: str = "") -> Trial:
    """A trial at a low rate whose read-back agreed and whose frames all left the tester.

    `all_are`: what a count says that every frame should be; asked again where it does not: other
    work on the machine makes frames later than the tester waits for them, and fills backlogs.
    """
    chosen = PPPOE.condition(condition)
    wanted = TrialSpec("cost", chosen, size, FRAMES / RATE, intended_load=RATE)

    def enough(counts: Counts) -> bool:
        return counts["offered"] == FRAMES and (not all_are or counts[all_are] >= FRAMES)

    trial = draining.until(testbed, wanted, enough)
    assert trial.counts and trial.counts["offered"] == FRAMES, trial.counts
    return trial


def test_all_sessions_are_up_and_each_has_a_number_of_its_own(testbed: FrameTestbed) -> None:
    for node in (testbed.router.node, testbed.router.others["client"].node):
        lines = node.run(["cat", "/proc/net/pppoe"]).stdout.splitlines()[1:]
        assert len({line.split()[0] for line in lines}) == SESSIONS


@pytest.mark.parametrize(
    ("condition", "size"),
    [("plain", 1510), ("encrypted", 1506), ("jumbo", 1518), ("multilink", 1518),
     ("plain-reassembled", 1518), ("encrypted-reassembled", 1518), ("many", 64)],
)  # fmt: skip
def test_the_largest_frame_of_a_session_comes_out_whole(
    testbed: FrameTestbed, condition: str, size: int
) -> None:
    counts = counted(testbed, condition, size, all_are="received").counts
    assert counts
    assert (counts["received"], counts["corrupt"]) == (FRAMES, 0)


@pytest.mark.parametrize(
    ("condition", "size"), [("plain-fragments", 1511), ("encrypted-fragments", 1507)]
)
def test_a_byte_more_comes_out_in_two_fragments(
    testbed: FrameTestbed, condition: str, size: int
) -> None:
    trial = counted(testbed, condition, size, all_are="corrupt")
    assert trial.counts
    assert trial.counts["received"] == 0
    # A first fragment is told from a frame by its length, a second one has no ports to tell.
    assert FRAMES <= trial.counts["corrupt"] <= FRAMES + 2 * LEARNT
    # Half of the frames are cut by the server, the other half by the client; two of each.
    assert FRAMES <= trial.counters["fragments"] <= FRAMES + 2 * LEARNT


def test_tracking_in_the_stack_cuts_the_packet_again(testbed: FrameTestbed) -> None:
    """Why the lab puts fragments together ahead of the stack: conntrack alone gives none back."""
    trial = counted(testbed, "plain-tracking", 1518, all_are="corrupt")
    assert trial.counts
    assert trial.counts["received"] == 0
    assert FRAMES <= trial.counts["corrupt"] <= FRAMES + 2 * LEARNT


def test_mppe_packs_what_the_server_sends_and_nothing_else_does(testbed: FrameTestbed) -> None:
    packed = counted(testbed, "encrypted", 64, all_are="received").counters["encrypted"]
    assert FRAMES / 2 <= packed <= FRAMES / 2 + LEARNT
    said = testbed.router.node.run(["pppstats", "-z", "plain"]).stdout
    assert not re.search("[1-9]", said)


def test_a_session_that_does_not_encrypt_is_not_the_condition(testbed: FrameTestbed) -> None:
    encrypted = PPPOE.condition("encrypted")
    testbed.router.apply(encrypted)
    assert testbed.router.read_back(encrypted).problems == ()
    testbed.router.node.run(["ip", "link", "set", "encrypted", "mtu", "1492"])
    try:
        assert "1488" in testbed.router.read_back(encrypted).problems[0]
    finally:
        testbed.router.node.run(["ip", "link", "set", "encrypted", "mtu", "1488"])


def test_many_sessions_share_the_stream(testbed: FrameTestbed) -> None:
    """Frame k goes through session k modulo 8, and no session has more than its turn."""
    read = "cat /sys/class/net/many*/statistics/tx_packets"
    client = testbed.router.others["client"].node
    before = client.run(["sh", "-c", read]).stdout.split()
    counted(testbed, "many", 64)
    after = client.run(["sh", "-c", read]).stdout.split()
    grown = [int(now) - int(then) for then, now in zip(before, after, strict=True)]
    assert len(grown) == 8
    assert max(grown) - min(grown) <= LEARNT
    assert sum(grown) >= FRAMES / 2


def test_a_home_router_translates_and_fasttrack_passes_the_firewall_by(
    testbed: FrameTestbed,
) -> None:
    trial = counted(testbed, "home-fasttrack", 512, all_are="received")
    assert trial.counts
    assert trial.counts["received"] == FRAMES
    seen = trial.counters["client seen by the firewall"]
    # Of each of the sixteen connections what opens it, and not one packet of the trial.
    assert seen <= 3 * 16 < FRAMES / 2, "the firewall sees what the flowtable should have taken"
    client = testbed.router.others["client"].node
    said = client.run(["conntrack", "-L", "-s", "198.19.2.7"]).stdout
    assert "dst=198.18.100.7" in said and "[OFFLOAD]" in said
    clamped = client.run(["nft", "list", "counter", "ip", "home", "clamped"]).stdout
    assert int(clamped.split("packets ")[1].split()[0]) > 0, "no SYN met the MSS rules"


@pytest.mark.parametrize(
    ("condition", "node", "break_it", "says"),
    [
        ("home", "client", "nft flush table ip home", "rules"),
        ("home-vlan-mss", "client", "nft flush chain ip home clamp", "rules"),
        ("home-fasttrack", "client", "nft flush chain ip home forward", "rules"),
        ("sessions-1000", None, "kill $(pidof -x idle-sessions perl); "
         "while grep -q 02:00:c6:12:0a:0f /proc/net/pppoe; do sleep 0.1; done", "1000"),
    ],
)  # fmt: skip
def test_a_condition_that_lost_a_part_is_read_back_as_another(
    testbed: FrameTestbed, condition: str, node: str | None, break_it: str, says: str
) -> None:
    chosen = PPPOE.condition(condition)
    testbed.router.apply(chosen)
    assert testbed.router.read_back(chosen).problems == ()
    broken = testbed.router.others[node].node if node else testbed.router.node
    broken.run(["sh", "-c", break_it], check=False)
    assert says in " ".join(testbed.router.read_back(chosen).problems)


def test_a_session_without_its_vlan_is_read_back_as_another(testbed: FrameTestbed) -> None:
    vlan = PPPOE.condition("home-vlan")
    testbed.router.apply(vlan)
    asked = testbed.router.node.run(["cat", "/proc/net/pppoe"]).stdout
    assert " eth2.7" in asked
    wanted = vlan.linux.expect.answers["cat /proc/net/pppoe"]
    assert re.search(wanted, asked)
    assert not re.search(wanted, asked.replace("eth2.7", "eth2")), "it would find any session"


def test_sessions_stay_when_the_idle_ones_go(testbed: FrameTestbed) -> None:
    """The next condition ends the sockets, and puts no link back: that would end every session."""
    testbed.router.apply(PPPOE.condition("sessions-100"))
    plain = PPPOE.condition("plain")
    testbed.router.apply(plain)
    assert testbed.router.read_back(plain).problems == ()
    lines = testbed.router.node.run(["cat", "/proc/net/pppoe"]).stdout.splitlines()[1:]
    assert len(lines) == SESSIONS
