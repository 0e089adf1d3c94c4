"""A RouterOS router: every condition of every lab is made, read back, and taken back."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.model.lab import lab as labs
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import router as router_module
from ppslab.testbed.routers.routeros.api import Api, RefusedError
from ppslab.testbed.routers.routeros.ports import ETHERNET, of_chr
from ppslab.testbed.routers.routeros.router import Scripts
from ppslab.testbed.routers.routeros.rsc.script import Statement
from tests.support.doubles.routeros_rest import Device, Server
from tests.testbed.routers.conftest import (
    PASSWORD,
    Make,
    configuration,
    lab_of,
    router_on,
    routers,
    stand,
)

MANY = 10
"""Statements of one kind: more routes of the same loop show nothing new, and take a minute."""


@pytest.fixture
def few_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of thousands end after ten."""
    whole = Scripts.written

    def fewer(self: Scripts, condition: labs.Condition) -> list[Statement]:
        seen: Counter[tuple[str, int]] = Counter()
        found = []
        for statement in whole(self, condition):
            seen[statement.file, statement.line] += 1
            if seen[statement.file, statement.line] <= MANY:
                found.append(statement)
        return found

    monkeypatch.setattr(Scripts, "written", fewer)


@pytest.mark.long
@pytest.mark.parametrize(("name", "node"), routers())
@pytest.mark.usefixtures("few_routes")
def test_every_condition_is_made_read_back_and_taken_back(
    name: str, node: str, tmp_path: Path
) -> None:
    lab = labs.find(name)
    ports = tuple(f"ether{number}" for number in range(1, 11))
    switch = name == "l3offload"
    device = Device(
        password=PASSWORD,
        version="7.20.8 (long-term)",
        level="p-unlimited",
        interfaces=(*ports, "sfp-sfpplus1", "sfp-sfpplus2") if switch else ports,
        hardware=switch,
        cpus=4,
    )
    before = configuration(device)
    with Server(device) as server:
        role = None if node == lab.spec.router else node
        with router_on(server, lab, tmp_path / "router.journal", role=role) as router:
            for condition in lab.conditions.values():
                stand(router, condition)
                assert {method for method, _, _ in device.requests} != {"GET"}, condition.name
        assert configuration(device) == before
    assert not (tmp_path / "router.journal").exists()


def test_between_two_conditions_only_their_difference_is_made(
    make: Make, device: Device, fastpath: Lab
) -> None:
    with make() as router:
        router.apply(fastpath.conditions["routing-fast-path"])
        del device.requests[:]
        router.apply(fastpath.conditions["routing-3-rules"])
        changed = {path for method, path, _ in device.requests if method != "GET"}
        assert {path.removeprefix("/rest") for path in changed} == {
            "/ip/firewall/connection/tracking/set",
            "/ip/firewall/filter",
        }
        assert router.read_back(fastpath.conditions["routing-3-rules"]).problems == ()
        del device.requests[:]
        router.apply(fastpath.conditions["routing-3-rules"])
        assert not [path for method, path, _ in device.requests if method != "GET"]


def test_what_somebody_changes_meanwhile_is_found_and_the_next_apply_mends_it(
    make: Make, device: Device, fastpath: Lab
) -> None:
    condition = fastpath.conditions["routing-3-rules"]
    with make() as router:
        router.apply(condition)
        rule = next(iter(device.tree.items("/ip/firewall/filter").values()))
        rule["action"] = "accept"
        address = next(iter(device.tree.items("/ip/address")))
        del device.tree.items("/ip/address")[address]
        problems = router.read_back(condition).problems
        assert any("filter-3.rsc:4" in said and "action" in said for said in problems)
        assert any("/ip/address" in said for said in problems)
        # The rule is not as we made it: it is left alone, and told, until somebody removes it.
        with pytest.raises(BackendError, match="/ip/"):
            router.apply(condition)
        device.tree.items("/ip/firewall/filter").clear()
        stand(router, condition)


def test_rules_of_the_routers_own_spoil_a_condition(
    make: Make, device: Device, fastpath: Lab
) -> None:
    device.tree.items("/ip/firewall/filter")["*77"] = {
        "chain": "forward", "action": "accept", "comment": "mine", "disabled": "false",
    }  # fmt: skip
    with make() as router:
        router.apply(fastpath.conditions["routing-fast-path"])
        (said,) = router.read_back(fastpath.conditions["routing-fast-path"]).problems
        assert said.startswith("/ip/firewall/filter: 1 ") and "'mine'" in said
        # RouterOS's own row on top of fast-tracked connections is none.
        device.tree.items("/ip/firewall/filter")["*77"] |= {
            "comment": "special dummy rule to show fasttrack counters", "dynamic": "true",
        }  # fmt: skip
        assert router.read_back(fastpath.conditions["routing-fast-path"]).problems == ()
    assert "*77" in device.tree.items("/ip/firewall/filter")


def test_a_port_without_a_link_and_a_condition_that_does_not_stand(
    make: Make, device: Device, fastpath: Lab
) -> None:
    with make() as router:
        router.apply(fastpath.conditions["routing-fast-path"])
        device.down.add("ether3")
        problems = router.read_back(fastpath.conditions["routing-fast-path"]).problems
        assert len(problems) == 1 and problems[0].startswith("port p2: ")
        (said,) = router.read_back(fastpath.conditions["routing-plain"]).problems
        assert "routing-plain" in said


def test_settings_and_names_are_put_back_as_they_were(
    make: Make, device: Device, tmp_path: Path
) -> None:
    lab = lab_of(
        tmp_path / "made",
        "/interface/ethernet set [find where default-name=ether2] name=p1 mtu=1600 comment=lab\n"
        "/ip/settings set rp-filter=strict allow-fast-path=no\n"
        "/ip/settings set rp-filter=loose\n/interface/ethernet disable ether3\n",
    )
    device.tree.singles["/ip/settings"]["rp-filter"] = "strict"
    before = configuration(device)
    with make(lab) as router:
        stand(router, lab.conditions["c"])
        port = device.tree.named("p1")
        assert port is not None and port["comment"] == "lab"
        assert device.tree.singles["/ip/settings"]["rp-filter"] == "loose"
        # A reboot may give other ids.
        device.tree.lists[ETHERNET] = {
            f"{n}F": row for n, row in device.tree.items(ETHERNET).items()
        }
    device.tree.lists[ETHERNET] = {n[:-1]: row for n, row in device.tree.items(ETHERNET).items()}
    assert configuration(device) == before


@pytest.mark.parametrize(
    ("menu", "word", "now"),
    [
        ("/ip/settings", "rp-filter", "loose"),  # somebody has set it since
        ("/ip/traffic-flow", "enabled", "true"),  # RouterOS did not say what it was
    ],
)
def test_what_cannot_be_put_back_is_left_alone_and_told(
    make: Make, device: Device, tmp_path: Path, menu: str, word: str, now: str
) -> None:
    lab = lab_of(tmp_path / "made", "/ip/settings set rp-filter=strict\n"
                                    "/ip/traffic-flow set enabled=yes\n")  # fmt: skip
    before = dict(device.tree.singles["/ip/settings"])
    device.tree.singles["/ip/traffic-flow"] = {} if "flow" in menu else {"enabled": "false"}
    router = make(lab)
    router.open()
    router.apply(lab.conditions["c"])
    device.tree.singles[menu][word] = now
    with pytest.raises(BackendError, match=f"{menu} .*{word}"):
        router.close()
    assert device.tree.singles[menu][word] == now
    assert menu == "/ip/settings" or device.tree.singles["/ip/settings"] == before


def test_what_a_start_configuration_made_goes_before_the_first_condition(
    make: Make, device: Device, fastpath: Lab
) -> None:
    start = paths.project_root() / "topologies" / "start" / "fastpath-chr.dut.rsc"
    # As containerlab leaves it: the file was imported, ports renamed and addresses set.
    with make() as first:
        first.apply(fastpath.conditions["routing-fast-path"])
        started = configuration(device)
        first._journal.changes.clear()
        first._made.clear()
    assert configuration(device) == started
    with make(start=[start]) as router:
        for name in ("bridging-fast-path", "routing-fast-path"):
            stand(router, fastpath.conditions[name])
            addresses = device.tree.items("/ip/address")
            assert len(addresses) == (3 if name.startswith("routing") else 0)


def test_a_machine_made_anew_has_nothing_of_a_killed_run(
    make: Make, device: Device, fastpath: Lab
) -> None:
    start = paths.project_root() / "topologies" / "start" / "fastpath-chr.dut.rsc"
    killed = make(start=[start])
    killed.open()
    killed.apply(fastpath.conditions["routing-13-rules"])
    os.close(killed._journal._handle)
    # Another machine of the same image: other rows have the ids of those that were made.
    fresh = Device(password=PASSWORD, version=device.version, interfaces=device.interfaces)
    device.tree = fresh.tree
    rows = device.tree.items("/ip/address")
    rows |= {f"*{n:X}": {"address": f"10.0.0.{n}/24", "interface": "ether1"} for n in range(40)}
    before = configuration(device)
    with make(start=[start]) as router:
        stand(router, fastpath.conditions["routing-13-rules"])
        assert not router.notes
    assert configuration(device) == before


def test_facts_tell_what_it_is_and_not_which_one(make: Make, device: Device) -> None:
    with make() as router:
        found = router.facts()
        assert found["routeros"]["version"] == "7.20.8 (long-term)"
        assert found["licence"] == "p-unlimited"
        assert found["settings"]["/ip/settings"]["allow-fast-path"] == "true"
        assert "virtual machine" in router.cannot_show
        said = repr(found)
    system = device.answer("GET", "/rest/system/license", None)["system-id"]
    assert system not in said
    assert PASSWORD not in said


def test_a_reset_takes_the_condition_away_and_brings_it_again(
    make: Make, device: Device, fastpath: Lab
) -> None:
    condition = fastpath.conditions["routing-3-rules"]
    with make() as router:
        router.apply(condition)
        del device.requests[:]
        router.reset(condition)
        assert {"DELETE", "PUT"} <= {method for method, _, _ in device.requests}
        assert router.read_back(condition).problems == ()


# --- the backup -----------------------------------------------------------------------------------

EXPORT = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
/interface ethernet
set [ find default-name=ether1 ] comment="the way in"
/ppp secret
add name=somebody password="hunter \\"2\\"" \\
    service=pppoe
/interface wireguard
add name=wg0 private-key=\\
    "abcdefgh="
"""


def test_a_backup_is_taken_first_and_has_no_secret(
    make: Make, tmp_path: Path, device: Device
) -> None:
    for number in range(router_module.BACKUPS + 2):
        (tmp_path / f"router.2026010{number:02d}T000000.rsc").write_text("/ip\n")
    device.fault("answers", "/execute", body={"ret": EXPORT.replace("\n", "\r\n")})
    with make(backup=True) as router:
        place = max(tmp_path.glob("router.*.rsc"))
        assert str(place) in " ".join(router.notes)
        changing = [path for method, path, _ in device.requests if method != "GET"]
        assert changing == ["/rest/execute"], "something came before it"
    text = place.read_text()
    assert 'comment="the way in"' in text
    assert 'password="(hidden)" service=pppoe' in text and 'private-key="(hidden)"' in text
    assert "hunter" not in text and "abcdefgh" not in text
    assert place.stat().st_mode & 0o777 == 0o600
    assert len(list(tmp_path.iterdir())) == router_module.BACKUPS


@pytest.mark.parametrize("answer", [None, {"ret": ""}, {"ret": "failure: busy"}])
def test_without_a_backup_nothing_is_done(
    make: Make, device: Device, tmp_path: Path, answer: object
) -> None:
    name = "answers" if answer else "refuses"
    device.fault(name, "/execute", detail="not enough permissions (9)", body=answer)
    with pytest.raises(CannotHereError, match=None if answer else r"not enough permissions \(9\)"):
        make(backup=True).open()
    assert not list(tmp_path.glob("*"))


# --- routers beside it ----------------------------------------------------------------------------


@pytest.mark.long
def test_routers_beside_it_are_configured_read_and_put_back_too(tmp_path: Path) -> None:
    lab = labs.find("pppoe")
    ports = ("ether1", "ether2", "ether3", "ether4")
    devices = {
        name: Device(password=PASSWORD, version="7.20.8", interfaces=ports)
        for name in ("server", "client")
    }
    before = {name: configuration(device) for name, device in devices.items()}
    condition = lab.conditions["many"]
    with Server(devices["server"]) as server, Server(devices["client"]) as client:
        beside = router_on(client, lab, tmp_path / "client", role="client")
        with router_on(server, lab, tmp_path / "server", others={"client": beside}) as whole:
            whole.apply(condition)
            read = whole.read_back(condition)
            assert read.problems == () and "# router client" in read.text
            assert len(devices["client"].tree.items("/interface/pppoe-client")) == 4 + 8
            assert not devices["server"].tree.items("/interface/pppoe-client")
            assert "client jumbo-link rx-packet" in whole.counters(condition)
            devices["client"].tree.items("/interface/pppoe-client").clear()
            assert any(said.startswith("router client: labs/pppoe/") for said in
                       whole.read_back(condition).problems)  # fmt: skip
            assert whole.facts()["client"]["ports"]["jumbo-link"] == "ether4"
    assert {name: configuration(device) for name, device in devices.items()} == before


def test_of_two_routers_one_that_is_not_there_leaves_the_other_as_it_was(
    server: Server, device: Device, tmp_path: Path
) -> None:
    lab, before = labs.find("pppoe"), configuration(device)
    beside = router_on(server, lab, tmp_path / "b", role="client", password="wrong")
    with pytest.raises(UsageError, match="refuses this user"):
        router_on(server, lab, tmp_path / "a", others={"client": beside}).open()
    assert configuration(device) == before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("status", "said", "menu", "item"),
    [
        (404, "Not Found", True, True),
        (400, "no such command or directory (x)", True, False),
        (400, "no such item (4)", False, True),
        (400, "not enough permissions (9)", False, False),
    ],
)
def test_only_what_is_not_there_is_none(
    monkeypatch: pytest.MonkeyPatch, status: int, said: str, menu: bool, item: bool
) -> None:
    api = Api(RouterOS(url="https://192.0.2.1"))

    def refuse(*_: object, **__: object) -> None:
        raise RefusedError(api.where, status, said)

    monkeypatch.setattr(api, "ask", refuse)
    for none, ask in (
        (menu, lambda: api.rows_or_none("/ip/address")),
        (menu, lambda: api.settings_or_none("/ip/settings")),
        (item, lambda: api.row("/ip/address", "*1")),
        (item, lambda: api.remove("/ip/address", "*1")),
    ):
        with nullcontext() if none else pytest.raises(RefusedError):
            assert ask() is None


# --- counters -------------------------------------------------------------------------------------


FAST = {"ipv4-fast-path-packets": 1000, "p1 fp-rx-packet": 1000, "p2 fp-tx-packet": 1000}


@pytest.mark.parametrize(("name", "more"), [("routing-fast-path", FAST), ("routing-plain", {})])
def test_counters_move_by_what_was_forwarded(
    make: Make, device: Device, fastpath: Lab, name: str, more: dict[str, int]
) -> None:
    condition = fastpath.conditions[name]
    with make() as router:
        router.apply(condition)
        before = router.counters(condition)
        device.carry("p1", "p2", 1000, 64)
        after = router.counters(condition)
        grown = {counter: after[counter] - n for counter, n in before.items() if after[counter] > n}
        assert grown == {"p1 rx-packet": 1000, "p2 tx-packet": 1000} | more


def test_a_counter_that_is_no_number_or_not_there(
    make: Make, device: Device, fastpath: Lab
) -> None:
    with make() as router:
        device.tree.singles["/ip/settings"]["ipv4-fast-path-packets"] = "many"
        with pytest.raises(BackendError, match="ipv4-fast-path-packets is 'many'"):
            router.counters(fastpath.conditions["routing-plain"])
        device.tree.singles["/ip/settings"]["ipv4-fast-path-packets"] = "1"
        del device.tree.lists[ETHERNET]["*3"]
        with pytest.raises(BackendError, match="port p1"):
            router.counters(fastpath.conditions["routing-plain"])


def test_connections_are_those_of_the_test_networks(make: Make, device: Device) -> None:
    with make() as router:
        assert router.tracked_connections() == 0
        for source, fast in (
            ("192.0.2.7:50000", "false"),
            ("198.18.1.2:100", "true"),
            ("198.19.1.2", "false"),
        ):
            row = {"src-address": source, "fasttrack": fast}
            device.tree.put("/ip/firewall/connection", row)
        device.tree.put("/ipv6/firewall/connection", {"src-address": "[2001:2::1]:100"})
        assert (router.tracked_connections(), router.offloaded_connections()) == (3, 1)


# --- ports ----------------------------------------------------------------------------------------


def test_a_port_map_says_which_ports_the_lab_has(make: Make, device: Device, fastpath: Lab) -> None:
    with make(ports={"p1": "ether6", "p2": "ether7", "p3": "ether5"}) as router:
        stand(router, fastpath.conditions["routing-fast-path"])
        names = [row["name"] for row in device.tree.items("/interface/ethernet").values()]
        assert names == ["ether1", "ether2", "ether3", "ether4", "p3", "p1", "p2"]
        assert router.facts()["ports"] == {"p1": "ether6", "p2": "ether7", "p3": "ether5"}


def test_a_bond_takes_the_mapped_ports_though_no_script_names_them(make: Make) -> None:
    lab = labs.find("hundred")
    ports = {f"p{number}": f"sfp28-{number}" for number in range(1, 9)}
    found = make(lab, ports=ports).statements(lab.conditions["lacp-layer2"])
    (bond,) = [s for s in found if s.menu == "/interface/bonding"]
    assert dict(bond.properties)["slaves"] == ",".join(ports.values())
    assert "/interface/ethernet/set [find where default-name=sfp28-8] mtu=1520" in map(str, found)


@pytest.mark.parametrize("name", labs.names())
def test_a_chr_of_containerlab_has_the_labs_ports_behind_its_management(name: str) -> None:
    lab = labs.find(name)
    found = of_chr(lab)
    wiring = topology.find(f"{lab.spec.topology}-chr", foreign=True)
    wired = set(wiring.interfaces(lab.spec.router))
    assert "ether1" not in found.values()
    assert set(found.values()) <= wired or not found
    assert bool(found) != bool(lab.spec.routeros_nodes)


def test_a_port_that_the_map_lacks_or_the_device(make: Make) -> None:
    with pytest.raises(FileError, match=r"fastpath/routeros/ports.rsc:\d+: port p3 is not in"):
        make(ports={"p1": "ether6", "p2": "ether7"}).open()
    with pytest.raises(UsageError, match="ether99"):
        make(ports={"p1": "ether99", "p2": "ether3", "p3": "ether4"}).open()


IN_USE: list[dict[str, dict[str, str]]] = [
    {"/ip/address": {"address": "10.1.1.1/24", "interface": "ether3"}},
    {"/interface/bridge/port": {"interface": "ether4", "bridge": "br"}},
    {"/interface/bonding": {"name": "bond1", "slaves": "ether6,ether3"}},
]
WAYS_IN: list[dict[str, dict[str, str]]] = [
    {"/ip/address": {"address": "127.0.0.1/8", "interface": "ether2"}},
    {
        "/ip/address": {"address": "127.0.0.1/8", "interface": "br"},
        "/interface/bridge/port": {"interface": "ether2", "bridge": "br"},
    },
    {
        "/ip/address": {"address": "127.0.0.1/8", "interface": "vlan9"},
        "/interface/vlan": {"name": "vlan9", "interface": "br"},
        "/interface/bridge/port": {"interface": "bond1", "bridge": "br"},
        "/interface/bonding": {"name": "bond1", "slaves": "ether6,ether2"},
    },
]


@pytest.mark.parametrize(
    ("rows", "said"),
    [*((rows, "only the lab") for rows in IN_USE), *((rows, "reaches") for rows in WAYS_IN)],
)
def test_ports_that_do_something_else_are_refused(
    make: Make, device: Device, rows: dict[str, dict[str, str]], said: str
) -> None:
    """The way in too, also where it leads over a VLAN of a bond in a bridge."""
    for menu, row in rows.items():
        device.tree.put(menu, row)
    before = configuration(device)
    with pytest.raises(UsageError, match=said):
        make().open()
    assert configuration(device) == before
    assert not [path for method, path, _ in device.requests if method != "GET"]
