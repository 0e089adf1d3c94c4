"""REST as the client takes it for granted, asked of the router itself.

What the double answers, and what README.md beside it marks as [INF], is compared here: a test that
fails says what to change there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from ppslab.core.errors import UsageError
from ppslab.testbed.routers.routeros.api import Api, RefusedError
from tests.support.doubles.routeros_shapes import ETHERNET, INTERFACE, RESOURCE, SINGLES
from tests.system.chr.conftest import Chr

pytestmark = pytest.mark.guest

LIST = "/ip/firewall/address-list"


@pytest.fixture
def api(chr_: Chr) -> Iterator[Api]:
    """The client; what a test left in the list of addresses goes."""
    yield chr_.api
    for row in chr_.api.rows(LIST):
        if row.get("list", "").startswith("ppslab-"):
            chr_.api.remove(LIST, row[".id"])


def test_it_says_what_it_is(api: Api) -> None:
    resource = api.settings("/system/resource")
    assert set(RESOURCE) - {"write-sect-since-reboot", "write-sect-total"} <= set(resource)
    assert all(isinstance(value, str) for value in resource.values())
    assert resource["board-name"].startswith("CHR")


def test_a_row_is_added_changed_and_removed(api: Api) -> None:
    number = api.add(LIST, {"list": "ppslab-test", "address": "192.0.2.7"})[".id"]
    assert number.startswith("*")
    api.set(LIST, number, {"comment": "changed"})
    row = api.row(LIST, number)
    assert row is not None
    assert (row["address"], row["comment"], row["disabled"]) == ("192.0.2.7", "changed", "false")
    api.remove(LIST, number)
    assert api.row(LIST, number) is None
    api.remove(LIST, number)


def test_rules_stand_in_the_order_in_which_they_were_added(api: Api) -> None:
    menu = "/ip/firewall/raw"
    rule = {"chain": "prerouting", "action": "accept", "disabled": "yes", "comment": "ppslab"}
    first = api.add(menu, rule)[".id"]
    second = api.add(menu, rule)[".id"]
    try:
        order = [row[".id"] for row in api.rows(menu)]
        assert order.index(first) < order.index(second)
    finally:
        for number in (first, second):
            api.remove(menu, number)


@pytest.mark.parametrize(
    ("menu", "words", "said"),
    [
        ("/ip/address", {"address": "198.18.9.1/24", "interface": "ether2", "vrf": "x"},
         "unknown parameter vrf"),
        ("/ip/address", {"address": "198.18.9.1/24", "interface": "nowhere"},
         "input does not match any value of interface"),
        ("/interface/bridge", {"protocol-mode": "ospf"},
         "input does not match any value of protocol-mode"),
    ],
)  # fmt: skip
def test_wrong_words_are_refused_in_its_own(
    api: Api, menu: str, words: dict[str, str], said: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        api.add(menu, words)
    assert refused.value.status == 400
    assert said in refused.value.said


def test_settings_are_set_by_the_command(api: Api) -> None:
    before = api.settings("/ip/settings")["allow-fast-path"]
    try:
        api.set_settings("/ip/settings", {"allow-fast-path": "no"})
        assert api.settings("/ip/settings")["allow-fast-path"] == "false"
    finally:
        api.set_settings("/ip/settings", {"allow-fast-path": before})


@pytest.mark.parametrize("menu", SINGLES)
def test_the_settings_have_the_recorded_names(api: Api, menu: str) -> None:
    version = api.settings("/system/resource")["version"].split(".")
    if menu == "/ipv6/settings" and int(version[1]) < 18:
        pytest.skip("the recording is of 7.18 and later")
    found = api.settings(menu)
    gone = set(SINGLES[menu]) - set(found)
    # What depends on the version, and nothing here reads.
    assert not {name for name in gone if "fast" in name or name in ("enabled", "active-ipv4")}
    assert len(gone) <= 4, gone


def test_ports_have_the_recorded_names(api: Api) -> None:
    listed = api.rows("/interface")
    port = next(row for row in listed if row.get("default-name") == "ether2")
    assert set(INTERFACE) - {"running"} <= set(port) | {"tx-queue-drop"}
    assert port["type"] == "ether"
    ethernet = api.rows("/interface/ethernet")[0]
    assert {"default-name", "mac-address", "name", "mtu"} <= set(ethernet)
    assert len(set(ETHERNET) - set(ethernet)) <= 6


def test_the_words_of_a_command_can_be_asked(api: Api) -> None:
    asked = {"request": "child", "path": "ip,address,add"}
    found = {row["name"]: row["node-type"] for row in api.run("/console/inspect", asked)}
    assert (found.get("address"), found.get("interface")) == ("arg", "arg")
    assert "vrf" not in found


def test_a_wrong_password_is_refused(chr_: Chr) -> None:
    other = chr_.device.model_copy(update={"password": SecretStr("surely-not-this-one")})
    api = Api(other)
    with pytest.raises(UsageError, match="refuses this user or password") as refused:
        api.settings("/system/resource")
    assert "surely-not" not in str(refused.value)


def test_an_interface_that_is_renamed_takes_what_names_it_along(api: Api) -> None:
    number = api.add("/ip/address", {"address": "198.18.9.1/24", "interface": "ether3"})[".id"]
    (port,) = [row for row in api.rows("/interface/ethernet") if row["default-name"] == "ether3"]
    try:
        api.set("/interface/ethernet", port[".id"], {"name": "ppslab-port"})
        row = api.row("/ip/address", number)
        assert row is not None
        assert row["interface"] == "ppslab-port"
        assert "ppslab-port" in {row["name"] for row in api.rows("/interface")}
    finally:
        api.set("/interface/ethernet", port[".id"], {"name": port["name"]})
        api.remove("/ip/address", number)
