"""A wrong word in a lab's files is one message with file and line; a good one is what it says."""

from __future__ import annotations

import shutil
from ipaddress import ip_address
from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.measure import tcp
from ppslab.model.lab import lab, profiles
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.packets import Random, first_value, how_many
from ppslab.model.lab.tcp import DIRECTIONS, EmulatedLoad, Tcp
from ppslab.testbed.testers.ppstraffic import flow_argument, smallest
from tests.support.flow_factory import make_flow

GOOD = """title: Small
topology: small
router: dut
tester: tester
ports: {p1: eth1, p2: eth2}
frame_sizes: [64]
reference: plain
flows:
  one:
    - name: f12
      tx_name: p1
      rx_name: p2
      packet:
        - ethernet: {src: "02:00:c6:12:01:02", dst: "02:00:c6:12:01:01"}
        - ipv4: {src: 198.18.1.2, dst: 198.18.2.2}
        - udp: {src_port: 100, dst_port: 200}
conditions:
  - name: plain
    title: Plain
    flows: one
"""


@pytest.fixture
def write(tmp_path: Path):
    def _write(text: str) -> Path:
        (tmp_path / "lab.yml").write_text(text)
        return tmp_path

    return _write


def test_a_field_can_be_drawn_at_random(write) -> None:
    udp = "{src_port: {min: 1, max: 65535, seed: 7}, dst_port: 200}"
    text = GOOD.replace("{src_port: 100, dst_port: 200}", udp)
    text = text.replace("dst: 198.18.2.2}", "dst: {min: 198.18.2.2, max: 198.18.2.5}}")
    flow = lab.load(write(text)).spec.flows["one"][0]
    assert (first_value(flow.transport.src_port), how_many(flow.transport.src_port)) == (1, 65535)
    assert (first_value(flow.internet.dst), how_many(flow.internet.dst)) == ("198.18.2.2", 4)
    wanted = (
        "dst=198.18.2.2,sport=1,dport=200,dst-count=4,sport-count=65535,dst-random=1,sport-random=7"
    )
    assert flow_argument(flow).endswith(wanted)


def test_a_protocol_for_experiments(write) -> None:
    text = GOOD.replace("dst: 198.18.2.2}", "dst: 198.18.2.2, protocol: 253}")
    assert lab.load(write(text)).spec.flows["one"][0].protocol == 253


@pytest.mark.parametrize(("source", "least"), [("198.18.1.2", 68), ("2001:2:0:1::2", 88)])
def test_a_tag_takes_four_bytes_and_reaches_the_tester(source: str, least: int) -> None:
    far = "198.18.2.2" if least == 68 else "2001:2:0:2::2"
    tagged = make_flow(src=source, dst=far, vlan=3000)
    assert smallest(tagged) == least
    assert flow_argument(tagged).endswith(",vlan=3000")
    assert "vlan" not in flow_argument(make_flow())


def test_a_tagged_flow_is_not_answered() -> None:
    back = {"ethernet": {"src": "02:00:c6:12:02:02", "dst": "02:00:c6:12:02:01"}}
    with pytest.raises(ValueError, match="answered"):
        make_flow(vlan=3000, answered=back)


CHIP = """    linux: {bpf: l3_offload, switch_chip: {device: CRS326-24G-2S+}}
"""


def test_a_switch_chip_stands_in_a_program_and_is_a_known_one(write) -> None:
    found = lab.load(write(GOOD + CHIP)).conditions["plain"].linux.switch_chip
    assert found is not None
    assert (found.icmp_reply_on_error, found.ipv6_hw) == (True, False)


ELSEWHERE = [
    "routeros: [../../../../../etc/passwd]",
    "routeros: [/etc/passwd]",
    "routeros: [plain.rsc, ../beside.rsc]",
    "routeros: [linked.rsc]",
    "routeros: [folder/passwd]",
    "linux: {nft: [linked.rsc]}",
    "linux: {routes: [../beside.rsc]}",
]


@pytest.mark.parametrize("words", ELSEWHERE)
def test_a_lab_reads_no_file_outside_its_folder(tmp_path: Path, words: str) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (tmp_path / "beside.rsc").write_text("/ip\n")
    (folder / "plain.rsc").write_text("/ip\n")
    (folder / "linked.rsc").symlink_to("/etc/passwd")
    (folder / "folder").symlink_to("/etc")
    (folder / "lab.yml").write_text(GOOD + f"    {words}\n")
    with pytest.raises(FileError, match="outside") as caught:
        lab.load(folder)
    assert caught.value.line is not None and "lab.yml:" in str(caught.value)


def test_a_link_inside_the_folder_is_a_file_of_the_lab(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "plain.rsc").write_text("/ip\n")
    (folder / "same.rsc").symlink_to("plain.rsc")
    (folder / "lab.yml").write_text(GOOD + "    routeros: [same.rsc]\n")
    linked = tmp_path / "linked"
    linked.symlink_to(folder)
    for place in (folder, linked):
        found = lab.load(place)
        assert found.configuration(found.condition("plain")) == {"same.rsc": "/ip\n"}


@pytest.mark.parametrize("name", ["lab.yml", "tasks.yml", "claims.yml", "published.csv"])
def test_a_labs_own_files_are_no_links_elsewhere(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "lab.yml").write_text(GOOD)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to("/etc/passwd")
    with pytest.raises(FileError, match=name):
        lab.load(folder)


CORES = lab.find("cores")
ONE, FOUR = "port_queues: {eth4: {combined: 1}}", "port_queues: {eth4: {combined: 4}}"


@pytest.fixture
def copied_cores(tmp_path: Path) -> Path:
    """A copy of the lab's folder that a test may change."""
    return Path(shutil.copytree(CORES.folder, tmp_path / "cores"))


@pytest.mark.parametrize(("queues", "needed"), [(1, False), (2, True), (4, True)])
def test_a_card_with_several_queues_needs_them(
    copied_cores: Path, queues: int, needed: bool
) -> None:
    path = copied_cores / "lab.yml"
    text = path.read_text(encoding="utf-8").replace(", card-queues", "")
    text = text.replace("queues: 4}", f"queues: {queues}}}")
    path.write_text(text.replace(FOUR, FOUR.replace("4}", f"{queues}}}")), encoding="utf-8")
    if not needed:
        lab.load(copied_cores)
        return
    with pytest.raises(FileError, match="card-queues"):
        lab.load(copied_cores)


def test_a_card_has_no_more_queues_than_there_are_cpus() -> None:
    assert CORES.spec.machine
    words = CORES.spec.machine.model_dump()
    words["cards"]["cores"]["dut:eth4"]["queues"] = 5
    with pytest.raises(ValueError, match="dut:eth4"):
        Machine.model_validate(words)


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


def test_the_rfc2544_profile_deviates_only_in_what_the_rfc_does_not_have() -> None:
    assert len(profiles.load("rfc2544").deviations()) == 1


@pytest.mark.parametrize(("least", "most"), [(7, 7), ("198.18.0.7", "198.18.0.7"), ("::1", "::1")])
def test_a_random_field_may_have_one_value_and_not_none(least: int | str, most: int | str) -> None:
    assert Random(min=least, max=most).count == 1
    below = most - 1 if isinstance(most, int) else str(ip_address(most) - 1)
    with pytest.raises(ValueError, match="is above"):
        Random(min=least, max=below)
