"""The hub's configuration: each word is one that it knows, and what is missing is said."""

from __future__ import annotations

import json
import os
from ipaddress import ip_network
from pathlib import Path

import pytest
from jupyterhub.app import JupyterHub
from systemdspawner import SystemdSpawner
from traitlets.config import Config
from traitlets.config.loader import JSONFileConfigLoader

from ppslab.base.errors import CannotHereError
from ppslab_class.hub import configuration, running
from ppslab_class.hub.authenticator import CodeAuthenticator
from ppslab_class.hub.configuration import Place
from ppslab_class.hub.description import Limits
from ppslab_class.hub.seat_unit import SeatUnit, clear
from tests.ppslab_class.hub.hub_seats import SEATS

pytestmark = pytest.mark.long


def loaded(tmp_path: Path, place: Place) -> Config:
    path = tmp_path / configuration.FILE
    path.write_text(json.dumps(configuration.configuration(SEATS, place)))
    return JSONFileConfigLoader(path.name, str(tmp_path)).load_config()


def test_every_word_of_the_configuration_is_a_trait(tmp_path: Path) -> None:
    """traitlets only warns of a word that it does not know, and then the limit is none."""
    place = Place(tmp_path, 8000, tmp_path / "certificate.pem", tmp_path / "key.pem")
    config = loaded(tmp_path, place)
    from jupyterhub.proxy import ConfigurableHTTPProxy
    from jupyterhub.spawner import SimpleLocalProcessSpawner, Spawner

    known = {
        each.__name__: each
        for each in (JupyterHub, ConfigurableHTTPProxy, Spawner, SystemdSpawner, SeatUnit)
    } | {"CodeAuthenticator": CodeAuthenticator}
    assert set(config) == set(known)
    for name, made in known.items():
        assert set(config[name]) <= set(made.class_traits(config=True)), name
    other = configuration.configuration(SEATS, Place(tmp_path, 8000, None, None, spawner="process"))
    words = set(other["SimpleLocalProcessSpawner"])
    assert words <= set(SimpleLocalProcessSpawner.class_traits(config=True))
    app = JupyterHub(config=config)
    assert app.authenticator_class is CodeAuthenticator
    assert app.spawner_class is SeatUnit
    assert app.bind_url.startswith("https://")


def test_a_seats_limits_are_its_units(tmp_path: Path) -> None:
    seats = SEATS.model_copy(update={"limits": Limits(memory_mib=512, tasks=100, disk_mib=64)})
    place = Place(tmp_path / "day", 8000, None, None)
    told = configuration.configuration(seats, place)
    unit = told["SystemdSpawner"]["unit_extra_properties"]
    assert told["Spawner"]["mem_limit"] == 512 * 2**20 and unit["MemorySwapMax"] == "0"
    assert (unit["TasksMax"], unit["LimitFSIZE"]) == ("100", str(64 * 2**20))
    assert unit["InaccessiblePaths"] == str(tmp_path / "day"), (
        "the board, its key, the hub's secret"
    )
    # systemd-run takes no name in a list of addresses: "Failed to parse IP address prefix".
    allowed = [ip_network(each) for each in unit["IPAddressAllow"].split()]
    assert ip_network("127.0.0.0/8") in allowed and ip_network("::1/128") in allowed
    assert told["SeatUnit"] == {"folder": str(tmp_path / "day"), "disk_mib": 64}
    assert all(isinstance(each, str) for each in unit.values()), "systemdspawner formats each"


def test_where_systemd_is_not_pid_1_that_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "BOOTED", tmp_path / "none")
    point = next(each for each in running.points() if each.what == "systemd")
    assert point.state == "missing" and "not systemd" in point.found
    assert "--kind page" in point.remedy
    with pytest.raises(CannotHereError, match="PID 1 is"):
        running.must_run()


def test_all_that_is_missing_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(running.sys, "executable", "/nowhere/python")
    with pytest.raises(CannotHereError) as refused:
        running.must_run()
    for word in ("uv sync --extra workshop-server", "npm ci", "sudo"):
        assert word in refused.value.remedy


def test_a_link_that_a_unit_left_in_run_is_cleared_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    link = tmp_path / "ppslab-seat-01"
    link.symlink_to("private/ppslab-seat-01")
    with pytest.raises(FileExistsError):
        link.mkdir(parents=True, exist_ok=True)  # as systemdspawner does
    clear("ppslab-seat-01", tmp_path)
    link.mkdir()
    clear("ppslab-seat-01", tmp_path)
    assert link.is_dir(), "a folder stays"
    other = tmp_path / "ppslab-seat-02"
    (tmp_path / "private/ppslab-seat-02").mkdir()
    other.symlink_to("private/ppslab-seat-02")
    clear("ppslab-seat-02", tmp_path)
    assert other.is_symlink(), "it leads somewhere: the seat runs"
