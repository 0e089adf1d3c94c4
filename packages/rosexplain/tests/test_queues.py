"""Queues, and the marks for them: which lines a rule names, and what its commands leave alone."""

from __future__ import annotations

import pytest
from asked import HEAD, ask

from rosexplain.limits import limits
from rosexplain.noticed import noticed
from rosexplain.report import Answer

LAN = f"""{HEAD}/ip address
add address=192.168.88.1/24 interface=ether2
add address=192.0.2.2/24 interface=ether1
/ip route
add gateway=192.0.2.1
"""
VIDEO = "add name=video packet-mark=video parent=ether2\n"
MARK = "add action=mark-packet chain=forward dst-port=443 new-packet-mark=video protocol=udp\n"
BY_CONNECTION = """add action=mark-connection chain=prerouting dst-port=443 \
new-connection-mark=video protocol=tcp
add action=mark-packet chain=prerouting connection-mark=video new-packet-mark=video"""


def commands(text: str, rule: str) -> list[str]:
    """What the note of a rule says to type."""
    answer = Answer(ask(text)).plain()
    return [one for note in answer["notes"] if note["rule"] == rule for one in note["commands"]]


@pytest.mark.parametrize(
    ("rules", "queues", "disabled"),
    [
        (MARK, VIDEO, [1]),
        # A packet has one mark: without this one, it would keep the mark of a queue with a limit.
        ("add action=mark-packet chain=forward new-packet-mark=slow\n" + MARK,
         VIDEO + "add max-limit=10M name=slow packet-mark=slow parent=ether2\n", []),
        # And in the queue for all packets, it would meet that queue's limit.
        (MARK, VIDEO + "add max-limit=10M name=rest parent=ether2\n", []),
        (MARK, VIDEO + "add max-limit=10M name=rest parent=ether1\n", [1]),
        (MARK, "add disabled=yes max-limit=5M name=all parent=ether2\n"
         + VIDEO.replace("parent=ether2", "parent=all"), []),
        (BY_CONNECTION + "\n", VIDEO, [1, 2]),
        # A connection has one mark too, and an earlier one leads it into another table.
        ("add action=mark-connection chain=prerouting new-connection-mark=two\n"
         + BY_CONNECTION
         + "\nadd action=mark-routing chain=prerouting connection-mark=two new-routing-mark=wan2\n",
         VIDEO, [3]),
        # What ends the chain for these packets stays, and so does what it asks for.
        (BY_CONNECTION
         + " passthrough=no\nadd action=mark-routing chain=prerouting new-routing-mark=wan2\n",
         VIDEO, []),
        (BY_CONNECTION + " log=yes\n", VIDEO, []),
    ],
)  # fmt: skip
def test_marks_go_only_where_the_packets_meet_nothing_else_then(
    rules: str, queues: str, disabled: list[int]
) -> None:
    text = f"{LAN}/ip firewall mangle\n{rules}/queue tree\n{queues}"
    first = text[: text.index("/ip firewall mangle")].count("\n") + 1
    met = ask(text).met.get("mark-for-nothing", [])
    numbers = [line.number - first for line in met if line.menu == "/ip/firewall/mangle"]
    assert sorted(numbers) == disabled


THIRD = "/ip address\nadd address=192.168.89.1/24 interface=ether3\n"
TYPO = "add max-limit=5M/5M name=typo target=10.5.5.0/24\n"
GUESTS = "add max-limit=5M/5M name=guests target={target}\n"


@pytest.mark.parametrize(
    ("others", "queues", "target"),
    [
        (THIRD, GUESTS.format(target="192.168.89.0/24") + TYPO, "192.168.88.0/24"),
        (THIRD, GUESTS.format(target="ether3") + TYPO, "192.168.88.0/24"),
        (THIRD, "add max-limit=9M/9M name=all target=192.168.88.0/24,192.168.89.0/24\n"
         + GUESTS.format(target="192.168.89.0/24")[:-1] + " parent=all\n" + TYPO,
         "192.168.88.0/24"),
        (THIRD, GUESTS.format(target="192.168.89.0/24")[:-1] + " parent=all\n"
         "add max-limit=9M/9M name=all target=192.168.88.0/23\n"
         "add max-limit=1M/1M name=one parent=all target=192.168.88.0/24\n" + TYPO, ""),
        (THIRD, TYPO, ""),
        ("", TYPO, ""),  # what is left of a network that is gone
        ("/ip address\nadd address=10.5.5.1/24 disabled=yes interface=ether3\n", TYPO, ""),
        (THIRD + "/interface l2tp-client\nadd connect-to=198.18.1.1 disabled=no name=l2tp-out1\n",
         GUESTS.format(target="192.168.89.0/24") + TYPO, ""),
        (THIRD + "/interface pppoe-server server\nadd disabled=no interface=ether4\n",
         GUESTS.format(target="192.168.89.0/24") + TYPO, ""),
        (THIRD + "/routing ospf interface-template\nadd area=backbone interfaces=ether4\n",
         GUESTS.format(target="192.168.89.0/24") + TYPO, ""),
    ],
)  # fmt: skip
def test_a_queue_gets_another_target_only_where_one_network_of_several_has_none(
    others: str, queues: str, target: str
) -> None:
    texts = commands(f"{LAN}{others}/queue simple\n{queues}", "queue-elsewhere")
    assert texts == ([f"/queue/simple/set [find name=typo] target={target}"] if target else [])


@pytest.mark.parametrize(
    ("types", "queue", "rule"),
    [
        ("", "max-limit=5M/5M name=all target=192.168.88.0/24", "queue-in-one-line"),
        ("set [ find default-name=default-small ] kind=fq-codel",
         "max-limit=5M/5M name=all target=192.168.88.0/24", ""),
        ("", "max-limit=5M/5M name=all target=10.5.5.0/24", "queue-elsewhere"),
        ("add kind=pcq name=each pcq-rate=2M",
         "max-limit=5M/5M name=all queue=each/each target=192.168.88.0/24", "pcq-rate"),
        ("add kind=pcq name=each pcq-rate=5M",
         "max-limit=5M/5M name=all queue=each/each target=192.168.88.0/24", ""),
        ("add kind=pcq name=each pcq-rate=5M",
         "max-limit=5M/9M name=all queue=default-small/each target=192.168.88.0/24", "pcq-rate"),
    ],
)  # fmt: skip
def test_what_a_simple_queue_makes_of_its_hosts(types: str, queue: str, rule: str) -> None:
    explanation = ask(f"{LAN}/queue type\n{types}\n/queue simple\nadd {queue}\n")
    met = [*explanation.met, *dict(noticed(explanation))]
    about = ("queue-in-one-line", "queue-elsewhere", "pcq-rate")
    assert [name for name in about if name in met] == ([rule] if rule else [])


FAST = "/ip firewall filter\nadd action=fasttrack-connection chain=forward connection-state=\
established,related\n"
PPP = "/ppp profile\nadd name=a rate-limit={rate} remote-address=192.168.88.9\n"
LEASING = "/ip dhcp-server\nadd interface=ether2 lease-script={script} name=a\n"
SCRIPT = '/system script\nadd name="my queues" source="/queue simple add name=a target=a"\n'


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (PPP.format(rate="5M/5M") + "/interface l2tp-server server\nset enabled=yes\n", True),
        (PPP.format(rate="5M/5M") + "/interface l2tp-server server\nset use-ipsec=yes\n", False),
        (PPP.format(rate="5M/5M") + "/interface pppoe-server server\n"
         "add disabled=no interface=ether3\n", True),
        (PPP.format(rate="0/0") + "/interface l2tp-server server\nset enabled=yes\n", False),
        (LEASING.format(script='"my queues"') + SCRIPT, True),
        (LEASING.format(script='"{/system script run \\"my queues\\"}"') + SCRIPT, True),
        (LEASING.format(script="mine") + SCRIPT, False),
    ],
)  # fmt: skip
def test_fasttrack_passes_the_queues_that_clients_get(text: str, passed: bool) -> None:
    assert ("fasttrack-and-queues" in ask(LAN + text + FAST).met) == passed


@pytest.mark.parametrize(
    ("words", "of_line"),
    [
        ("", True),
        ("dst=0.0.0.0/0", True),
        ("dst=ether1", True),
        ("dst=10.0.0.0/8", False),
        ("packet-marks=video", False),
        ("time=0s-6h,sun,mon", False),
    ],
)
def test_a_queue_is_of_the_whole_line_unless_it_is_for_a_part(words: str, of_line: bool) -> None:
    queue = f"/queue simple\nadd max-limit=5M/5M name=a target=192.168.88.0/24 {words}\n"
    mangle = f"/ip firewall mangle\n{MARK}"
    (limit,) = limits(ask(LAN + mangle + queue))
    assert limit.shared == of_line


@pytest.mark.parametrize(
    ("ends", "limited"),
    [
        ("/interface l2tp-server server\nset enabled=yes\n", True),
        ("/interface pppoe-client\nadd disabled=no interface=ether4 name=out profile=a\n", True),
        ("/interface l2tp-server server\nset use-ipsec=yes\n", False),
        ("", False),
    ],
)
def test_a_profile_limits_where_somebody_has_a_session(ends: str, limited: bool) -> None:
    rules = [one.rule for one in limits(ask(LAN + PPP.format(rate="5M/5M") + ends))]
    assert rules == (["ppp-rate-limit"] if limited else [])


LOGIN = "/ip hotspot profile\nadd name=login use-radius=yes\n"
USERS = "/ip hotspot user profile\nadd name=inn {}\n"


@pytest.mark.parametrize(
    ("more", "menus"),
    [
        ("", ["/ip/hotspot"]),
        (USERS.format(""), ["/ip/hotspot/user/profile"]),
        (USERS.format("rate-limit=5M/5M"), []),
        (USERS.format("rate-limit=0/0"), ["/ip/hotspot/user/profile"]),
        (USERS.format('on-login="/queue simple add max-limit=5M/5M name=a"'), []),
        (LOGIN, []),
        (LOGIN + "/radius\nadd address=192.168.88.9 service=hotspot\n", []),
        # Nobody answers this profile, so no answer sets a rate.
        (LOGIN + "/radius\nadd address=192.168.88.9 service=ppp\n", ["/ip/hotspot"]),
        ("/ip hotspot profile\nadd name=login rate-limit=5M/5M\n", []),
        ("/queue simple\n" + GUESTS.format(target="ether2"), []),
    ],
)
def test_guests_are_unlimited_where_nothing_limits_one(more: str, menus: list[str]) -> None:
    hotspot = "/ip hotspot\nadd disabled=no interface=ether2 name=h\n"
    met = dict(noticed(ask(LAN + hotspot + more))).get("guests-unlimited", [])
    assert [line.menu for line in met] == menus


@pytest.mark.parametrize(
    ("kinds", "types", "said"),
    [
        ("default-small/default-small", "", True),
        ("default-small/default", "", True),
        ("default-small/fair", "", False),  # its type shares out what comes down
        ("default-small/default-small", "set 5 pfifo-limit=200\n", False),
    ],
)
def test_a_queue_of_ten_is_short_where_no_type_is_somebodys_own(
    kinds: str, types: str, said: bool
) -> None:
    text = f"/queue type\n{types}add kind=pcq name=fair pcq-classifier=dst-address\n"
    text += f"/queue simple\nadd max-limit=200M/200M name=a queue={kinds} target=192.168.88.0/24\n"
    assert ("queue-of-ten" in [name for name, _ in noticed(ask(LAN + text))]) == said


@pytest.mark.parametrize(
    ("rates", "tight"),
    [
        (["512k/1M", "256k"], True),
        (["512k/1M", "2M/5M"], False),
        (["512k/1M 2M/4M 256k/512k 10/10"], False),  # a burst lets a page through
        (["512k/1M 0/0"], True),
        (["0/0"], False),
    ],
)
def test_guests_wait_where_no_profile_gives_more(rates: list[str], tight: bool) -> None:
    text = LAN + "/ip hotspot\nadd disabled=no interface=ether2 name=h\n/ip hotspot user profile\n"
    for number, rate in enumerate(rates):
        text += f'add name=p{number} rate-limit="{rate}"\n'
    assert ("guests-tight" in dict(noticed(ask(text)))) == tight
