"""What goes wrong on the way: a clear message, and no half of a condition on the router."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import BackendError, CannotHereError, PpslabError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.routeros import router as routers
from tests.support.doubles.routeros_rest import Device, bad
from tests.testbed.routers.conftest import PASSWORD, Make, configuration, lab_of
from tests.testbed.routers.routeros.clean import RULES, is_clean


@pytest.mark.parametrize("after", [0, 1, 4, 9])
def test_a_refused_statement_is_told_with_its_line_and_all_is_taken_back(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path, after: int
) -> None:
    before = configuration(device)
    device.fault(
        "refuses", "/ip/firewall/filter", method="PUT", after=after, times=1,
        detail="failure: in/out-interface matcher not possible",
    )  # fmt: skip
    with make() as router:
        with pytest.raises(BackendError) as told:
            router.apply(fastpath.conditions[RULES])
        assert f"fastpath/routeros/filter-13.rsc:{4 + after}: RouterOS: failure: in/out" in str(
            told.value
        )
        assert configuration(device) == before
        # The next try stands.
        router.apply(fastpath.conditions[RULES])
        assert router.read_back(fastpath.conditions[RULES]).problems == ()
    assert configuration(device) == before
    assert is_clean(tmp_path)


def test_a_call_that_routeros_breaks_off_is_told_and_all_is_taken_back(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    device.pace = 0.0
    device.fault("time-limit", "/ip/firewall/filter", method="PUT", after=3, times=1)
    with make() as router:
        with pytest.raises(BackendError, match="Session closed"):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert is_clean(tmp_path)


@pytest.mark.parametrize("name", ["hangs-up", "lost-answer"])
@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_a_connection_that_breaks_leaves_nothing(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path, name: str, method: str
) -> None:
    before = configuration(device)
    path = "/ip/firewall/connection" if method == "POST" else "/i"
    device.fault(name, path, method=method, after=0 if method == "POST" else 2, times=1)
    with make() as router:
        with pytest.raises(BackendError):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert is_clean(tmp_path)


def test_what_is_broken_off_after_sixty_seconds_leaves_nothing(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    whole = device.answer

    def late(method: str, path: str, words: object) -> object:
        """The rule is there, and the answer comes too late."""
        found = whole(method, path, words)
        if method == "PUT" and path.endswith("/firewall/filter"):
            raise bad("Session closed")
        return found

    device.answer = late  # type: ignore[method-assign]
    with make() as router:
        with pytest.raises(BackendError, match="Session closed"):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert is_clean(tmp_path)


def test_what_was_set_is_put_back_though_nobody_could_look(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    whole = device.answer
    asked: list[str] = []

    def blind(method: str, path: str, words: object) -> object:
        """Refuses the look at what was set, once."""
        found = whole(method, path, words)
        if path.endswith("/connection/tracking/set"):
            asked.append(path)
        elif len(asked) == 1 and path.endswith("/connection/tracking"):
            asked.append(path)
            raise bad("not now")
        return found

    device.answer = blind  # type: ignore[method-assign]
    with make() as router:
        with pytest.raises(BackendError, match="not now"):
            router.apply(fastpath.conditions[RULES])
        assert configuration(device) == before
    assert len(asked) > 2
    assert is_clean(tmp_path)


def test_a_router_that_does_not_answer_any_more_is_put_back_by_the_next_run(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    router = make()
    router.open()
    device.fault("hangs-up", method="", after=40)
    with pytest.raises(BackendError):
        router.apply(fastpath.conditions[RULES])
    with pytest.raises(PpslabError):
        router.close()
    assert configuration(device) != before
    device.faults.clear()
    with make() as second:
        assert configuration(device) == before
        assert len(second.notes) == 1
    assert is_clean(tmp_path)


def test_a_wrong_password(make: Make, device: Device, tmp_path: Path) -> None:
    before = configuration(device)
    with pytest.raises(UsageError) as told:
        make(password="wrong horse", login="set PPSLAB_DUT_PASSWORD").open()
    assert "401" in str(told.value) and "PPSLAB_DUT_PASSWORD" in str(told.value)
    assert "wrong horse" not in str(told.value)
    assert configuration(device) == before


@pytest.mark.long
def test_it_loses_its_right_in_the_middle(
    make: Make, device: Device, fastpath: Lab, tmp_path: Path
) -> None:
    before = configuration(device)
    router = make()
    router.open()
    fault = device.fault("unauthorized", "/ip/firewall/filter", method="PUT", after=2)
    with pytest.raises(UsageError, match="401"):
        router.apply(fastpath.conditions[RULES])
    assert configuration(device) == before
    device.faults.remove(fault)
    router.close()
    assert is_clean(tmp_path)


def test_a_router_that_is_still_starting_is_waited_for(make: Make, device: Device) -> None:
    device.fault("no-json", "/system/resource", times=1)
    device.fault("hangs-up", "/system/resource", times=2)
    with make() as router:
        assert router.facts()["routeros"]["board-name"] == "CHR"
    asked = [path for _, path, _ in device.requests if path.endswith("/system/resource")]
    assert len(asked) == 1 + 2 + 2


def test_a_body_that_belongs_to_another_question_is_no_answer(
    make: Make, device: Device, fastpath: Lab
) -> None:
    before = configuration(device)
    device.fault("half-booted", "/ip/address", method="GET")
    with pytest.raises(BackendError, match="/ip/address"):
        make().open()
    assert configuration(device) == before


def test_nobody_answers(make: Make, server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routers, "READY_SECONDS", 0.1)
    router = make(remedy="plug it in")
    object.__setattr__(router.api.device, "url", "http://127.0.0.1:9")
    with pytest.raises(CannotHereError) as told:
        router.open()
    assert told.value.remedy == "plug it in"


def test_what_the_router_did_not_keep_is_found_by_the_read_back(
    make: Make, device: Device, fastpath: Lab
) -> None:
    device.fault("keeps-not", "/ip/firewall/filter", method="PUT", after=1, times=1)
    with make() as router:
        router.apply(fastpath.conditions[RULES])
        problems = router.read_back(fastpath.conditions[RULES]).problems
        (problem,) = problems
        assert problem.startswith("labs/fastpath/routeros/filter-13.rsc:5: ")
        assert "/ip/firewall/filter" in problem


def test_device_mode_is_told_with_the_way_to_allow_it(
    make: Make, device: Device, tmp_path: Path
) -> None:
    lab = lab_of(tmp_path / "made", "/ip/settings set rp-filter=no\n/ip/arp add address=1.1.1.1\n")
    device.fault("device-mode", "/ip/arp", method="PUT")
    with make(lab) as router, pytest.raises(BackendError) as told:
        router.apply(lab.conditions["c"])
    assert "c.rsc:2: RouterOS: failure: not allowed by device-mode" in str(told.value)
    assert "/system/device-mode/update" in str(told.value)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("/ip/firewall/filter add chain=forward actoin=drop\n", "unknown parameter actoin"),
        ("/ip/firewall/filter add chain=forward action=dorp\n", "does not match any value"),
        ("/ip/arp add address=198.18.1.2\n", "interface"),
        ("/ip/nonsense add a=b\n", "no such command"),
        ("/interface/ethernet set ether99 mtu=1500\n", "it has ether1"),
    ],
)
def test_routeros_words_are_told_with_file_and_line(
    make: Make, device: Device, tmp_path: Path, script: str, said: str
) -> None:
    lab = lab_of(tmp_path / "made", f"/ip/settings set rp-filter=strict\n{script}")
    before = configuration(device)
    with make(lab) as router, pytest.raises(BackendError) as told:
        router.apply(lab.conditions["c"])
    assert said in str(told.value)
    assert "made/routeros/c.rsc:2" in str(told.value)
    assert configuration(device) == before


def test_an_argument_that_the_version_lacks(make: Make, device: Device, tmp_path: Path) -> None:
    lab = lab_of(
        tmp_path / "made",
        "/ip/firewall/filter add chain=forward action=fasttrack-connection hw-offload=yes "
        "connection-state=established,related\n",
    )
    with make(lab) as router:
        router.apply(lab.conditions["c"])  # 7.20.8 has it
    newer = Device(password=PASSWORD, version="7.21.4 (stable)", interfaces=device.interfaces)
    device.words, device.tree = newer.words, newer.tree
    with make(lab) as router, pytest.raises(BackendError) as told:
        router.apply(lab.conditions["c"])
    assert "c.rsc:1: RouterOS: unknown parameter hw-offload" in str(told.value)


def test_a_secret_of_the_router_is_not_overwritten(
    make: Make, device: Device, tmp_path: Path
) -> None:
    lab = lab_of(tmp_path / "made", "/ppp/secret set [find where name=theirs] password=new\n")
    device.tree.items("/ppp/secret")["*70"] = {"name": "theirs", "password": "old"}
    with make(lab) as router, pytest.raises(BackendError, match="/ppp/secret"):
        router.apply(lab.conditions["c"])
    assert device.tree.items("/ppp/secret")["*70"]["password"] == "old"
