"""A wrong word in lab.yml is one message with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab import lab
from ppslab.model.lab.packets import first_value, how_many
from ppslab.testbed.testers.ppstraffic import flow_argument, smallest
from tests.support.flow_factory import make_flow
from tests.system.labs.checkouts import with_a_broken_lab

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


def test_a_good_lab_reads(write) -> None:
    found = lab.load(write(GOOD))
    assert list(found.conditions) == ["plain"]
    flow = found.flows(found.condition("plain"))[0]
    assert flow.ethernet.dst == "02:00:c6:12:01:01"
    assert flow.internet.src == "198.18.1.2"
    assert flow.transport.dst_port == 200


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("reference: plain", "reference: plian", 7, "did you mean"),
        ("    flows: one", "    flows: two", 20, "no flows 'two'"),
        ("      tx_name: p1", "      tx_name: p9", 10, "no port 'p9'"),
        ("title: Small", "titel: Small", 1, "titel"),
        ("frame_sizes: [64]", "frame_sizes: [9999]", 6, "9216"),
        ("frame_sizes: [64]", "frame_sizes: [64]\nrounds: 0", 7, "rounds"),
        ("frame_sizes: [64]", "frame_sizes: [64]\nrounds: few", 7, "rounds"),
        ("198.18.2.2}", "'2001:2::2'}", 10, "IPv4"),
        ("    title: Plain", "    title: Plain\n    linux: {nft: [gone.nft]}", 18, "gone.nft"),
        ("    title: Plain", "    title: Plain\n    linux: {bfp: x}", 20, 'did you mean "bpf"'),
    ],
)
def test_a_wrong_word_is_found_with_its_line(
    write, old: str, new: str, line: int, said: str
) -> None:
    assert old in GOOD
    with pytest.raises(FileError) as caught:
        lab.load(write(GOOD.replace(old, new, 1)))
    assert said in str(caught.value)
    assert caught.value.line is not None
    assert abs(caught.value.line - line) <= 6, str(caught.value)


def test_the_rounds_of_a_lab_are_those_of_a_condition_without_its_own(write) -> None:
    few = "  - {name: few, title: Few, flows: one, rounds: 2}\n"
    found = lab.load(write(GOOD.replace("reference:", "rounds: 4\nreference:") + few))
    assert [found.rounds(each) for each in found.conditions.values()] == [4, 2]
    found = lab.load(write(GOOD + few))
    assert [found.rounds(each) for each in found.conditions.values()] == [None, 2]


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


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("{min: 9, max: 5}", "min 9.* max 5"),
        ("{min: 1, max: 198.18.0.1}", "src_port"),
        ("{min: 1, max: 5, seed: 0}", "seed"),
    ],
)
def test_a_wrong_range_is_said(write, port: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        lab.load(write(GOOD.replace("src_port: 100", f"src_port: {port}")))


def test_a_flow_can_be_tcp_and_answered(write) -> None:
    text = GOOD.replace("udp: {src_port: 100,", "tcp: {src_port: {start: 100, count: 4},")
    text = text.replace(
        "      tx_name: p1",
        """      tx_name: p1
      answered:
        ethernet: {src: "02:00:c6:12:02:02", dst: "02:00:c6:12:02:01"}
        dst: 198.18.2.1""",
    )
    flow = lab.load(write(text)).spec.flows["one"][0]
    assert (flow.protocol, smallest(flow), how_many(flow.transport.src_port)) == (6, 76, 4)
    assert flow_argument(flow).endswith(
        "protocol=6,reply-src-mac=02:00:c6:12:02:02,reply-dst-mac=02:00:c6:12:02:01,"
        "reply-dst=198.18.2.1"
    )


def test_a_protocol_for_experiments(write) -> None:
    text = GOOD.replace("dst: 198.18.2.2}", "dst: 198.18.2.2, protocol: 253}")
    assert lab.load(write(text)).spec.flows["one"][0].protocol == 253
    with pytest.raises(FileError, match="udp"):
        lab.load(write(text.replace("udp:", "tcp:")))
    with pytest.raises(FileError, match="253"):
        lab.load(write(text.replace("253", "47")))


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


def test_an_unknown_condition_names_a_near_one() -> None:
    with pytest.raises(UsageError, match="routing-fast-path"):
        lab.find("fastpath").condition("routing-fastpath")


def test_an_unknown_lab_names_a_near_one() -> None:
    with pytest.raises(UsageError, match='"fastpath"'):
        lab.find("fastpth")


CHIP = """    linux: {bpf: l3_offload, switch_chip: {device: CRS326-24G-2S+}}
"""


def test_a_switch_chip_stands_in_a_program_and_is_a_known_one(write) -> None:
    found = lab.load(write(GOOD + CHIP)).conditions["plain"].linux.switch_chip
    assert found is not None
    assert (found.icmp_reply_on_error, found.ipv6_hw) == (True, False)
    with pytest.raises(FileError, match="bpf"):
        lab.load(write(GOOD + CHIP.replace("bpf: l3_offload, ", "")))
    with pytest.raises(FileError, match="RB4011"):
        lab.load(write(GOOD + CHIP.replace("CRS326-24G-2S+", "RB4011")))


def test_a_file_of_routes_must_be_there(write) -> None:
    with pytest.raises(FileError, match=r"linux/many\.routes"):
        lab.load(write(GOOD + "    linux: {routes: [linux/many.routes]}\n"))


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


def test_a_lab_of_which_a_file_is_wrong_leaves_the_others_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_broken_lab(tmp_path, monkeypatch)
    for of in (None, ["broken", "eoip"]):
        readable, unreadable = lab.tried(of)
        assert [each.name for each in readable] == ["eoip"]
        assert [*unreadable] == ["broken"]
        assert "labs/broken/lab.yml:2: " in str(unreadable["broken"])
