"""What iperf3 says, what a TCP record says of it, and what its kernel counters mean."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import jsonschema
import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.judge import costs, goodput
from ppslab.measure import tcp
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.lab.tcp_schema import DIRECTIONS
from ppslab.testbed.testers import iperf3
from tests.support.tcp_factory import GOODPUT, RETRANSMITTED, make_tcp_record, make_way

RECORDED = Path(__file__).resolve().parents[2] / "support/recorded"


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


def test_a_transfer_of_iperf3() -> None:
    found = iperf3.read(recorded("iperf3-3.12.json"))
    said = json.loads(recorded("iperf3-3.12.json"))
    assert found.failed is None
    assert len(found.streams) == 2
    assert sum(stream.received for stream in found.streams) == said["end"]["sum_received"]["bytes"]
    assert (
        sum(stream.retransmits for stream in found.streams)
        == said["end"]["sum_sent"]["retransmits"]
    )
    assert all(len(stream.rtt_us) == len(said["intervals"]) for stream in found.streams)
    assert [stream.ports for stream in found.streams] == [(58092, 5101), (58106, 5101)]
    assert found.addresses == ("198.18.1.2", "198.18.2.2")
    assert found.segment_size == 1448
    assert found.seconds == pytest.approx(1.0, abs=0.1)
    assert found.congestion == "cubic"
    assert 0 < found.cpu_sender < 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (recorded("iperf3-3.12-refused.json"), "Connection refused"),
        (recorded("iperf3-3.12-died.json"), "Connection reset by peer"),
        ("", "no JSON: nothing"),
        ("iperf3: parameter error\n", "parameter error"),
        ('{"end": {"streams": []}, "intervals": []}', "another than 3.12's"),
        ('{"end": {}, "intervals": []}', "another than 3.12's"),
        ('{"end": {"streams": [{"udp": {}}]}, "intervals": []}', "another than 3.12's"),
    ],
)
def test_a_transfer_that_failed_says_why(text: str, said: str) -> None:
    found = iperf3.read(text)
    assert found.failed is not None
    assert said in found.failed
    assert not found.streams


def test_goodput_and_fairness_of_a_way() -> None:
    way = make_way(3e9)
    assert way.goodput == pytest.approx(3e9, rel=1e-6)
    # Shares 2, 2, 2, 1: Jain's index is 49 / (4 * 13).
    assert way.fairness == pytest.approx(49 / 52, rel=1e-6)
    alike = way.model_copy(update={"received_bytes": (7, 7, 7)})
    assert alike.fairness == pytest.approx(1.0)
    greedy = way.model_copy(update={"received_bytes": (7, 0, 0, 0)})
    assert greedy.fairness == pytest.approx(1 / 4)
    assert way.model_copy(update={"received_bytes": (0, 0)}).fairness == 0.0


def test_a_record_gives_back_what_was_put_in() -> None:
    record = make_tcp_record()
    for direction in DIRECTIONS:
        rows = {row.condition: row for row in goodput.rows(record, direction)}
        for name, value in GOODPUT.items():
            assert rows[name].goodput.estimate == pytest.approx(value, rel=0.02)
            assert rows[name].retransmitted.estimate == pytest.approx(RETRANSMITTED, rel=0.01)
            assert rows[name].round_trip_us.estimate == 1000.0
            assert rows[name].packets.estimate == pytest.approx(200_000)
        ratio = rows["routing-25-ip-filter-rules"].ratio
        assert ratio is not None
        assert ratio.estimate == pytest.approx(0.5, rel=0.02)
        assert ratio.within(0.48, 0.52)
        assert goodput.a_a_interval(record, direction).within(0.97, 1.03)


def test_no_goodput_lies_below_zero() -> None:
    record = make_tcp_record(rounds=3, noise=0.4, seed=4)
    found = goodput.rows(record, "there")
    for interval in (one for row in found for one in (row.goodput, row.round_trip_us, row.packets)):
        assert 0 < interval.low <= interval.estimate <= interval.high


def test_a_condition_without_a_valid_transfer_has_no_row() -> None:
    record = make_tcp_record(without=("routing-fast-path",))
    assert [row.condition for row in goodput.rows(record, "there")] == list(GOODPUT)[1:]
    with pytest.raises(costs.NoDataError):
        goodput.goodput(record, "routing-fast-path", "there")


def test_of_a_repeated_transfer_the_last_counts() -> None:
    record = make_tcp_record(rounds=2, noise=0)
    first = next(t for t in record.transfers if t.condition == "routing-plain" and not t.round)
    again = first.model_copy(
        update={"attempt": 2, "number": 999, "ways": (make_way(6e9),), "purpose": "transfer"}
    )
    twice = record.model_copy(update={"transfers": (*record.transfers, again)})
    one = goodput.goodput(record, "routing-plain", first.direction)
    both = goodput.goodput(twice, "routing-plain", first.direction)
    # The median of two is their mean: the second attempt's 6 Gbit/s counts, the first does not.
    assert both.estimate - one.estimate == pytest.approx((6e9 - first.goodput) / 2)


def test_the_record_survives_being_written(tmp_path: Path) -> None:
    record = make_tcp_record()
    path = tmp_path / "tcp-fastpath-20261121T030000Z-namespaces.json"
    results.save(record, path)
    assert results.load_any(path) == record
    jsonschema.validate(json.loads(path.read_text()), results.schema(results.TcpRecord))


COUNTERS = """10
1000
20
2000
1
2
5
500
7
700
0
0
##
00000064 00000005 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
0000000a 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000003
##
cpu  100 0 50 800 0 0 0 50 0 0
cpu0 60 0 50 300 0 0 0 0 0 0
cpu3 40 0 0 500 0 0 0 50 0 0
intr 1 2 3
"""  # noqa: E501


def test_counters_before_and_after() -> None:
    ports = ("eth1", "eth2")
    before = tcp.Counters.read(COUNTERS, ports)
    assert before.ports["eth1"]["rx_bytes"] == 1000
    assert before.ports["eth2"]["tx_bytes"] == 700
    assert before.dropped == {"0": 5, "3": 0}
    text = COUNTERS.replace("10\n1000\n20\n2000\n1\n", "110\n9000\n26\n2600\n4\n")
    text = text.replace("00000005", "00000015").replace("500 0 0 0 50", "500 0 0 0 60")
    text = text.replace("60 0 50 300", "75 0 50 385")
    after = tcp.Counters.read(text, ports)
    counted = after.since(before)
    assert (counted.packets, counted.bytes, counted.port_drops) == (100, 8000, 3)
    assert counted.links["eth1"] == results.LinkCounts(
        rx_packets=100, rx_bytes=8000, tx_packets=6, tx_bytes=600
    )
    assert counted.links["eth2"].rx_packets == 0
    assert counted.dropped == {"0": 16, "3": 0}
    # All that CPU 3 spent, the hypervisor took.
    assert after.stolen(before) == ({0: 0, 3: 10}, 1.0)
    # CPU 0 worked 15 of its 100 ticks; of CPU 3's ten none was idle.
    assert counted.busy == {"0": 0.15, "3": 1.0}


def test_a_kernel_before_5_10_does_not_number_its_cpus() -> None:
    short = "1 2 0 0 3 4\n##\n00000001 00000007 0\n00000002 00000008 0\n##\ncpu 1 1 1 1 1 1 1 1\n"
    assert tcp.Counters.read(short, ("eth1",)).dropped == {"0": 7, "1": 8}


def test_masks_of_cpus() -> None:
    assert doctest.testmod(tcp).failed == 0
    assert doctest.testmod(iperf3) == (0, 1)
    assert tcp.cpu_mask([64]) == "1,00000000,00000000"


def test_a_lab_without_tcp_is_told() -> None:
    fastpath = lab.find("fastpath")
    words = fastpath.spec.model_copy(update={"tcp": None})
    with pytest.raises(UsageError, match="has no `tcp:`"):
        tcp.run(lab.Lab(fastpath.folder, words), tcp.Options())


def test_a_port_without_a_host_is_told_with_its_line() -> None:
    fastpath = lab.find("fastpath")
    assert fastpath.spec.tcp
    some = fastpath.spec.tcp.model_copy(update={"hosts": {"p1": "host1", "p3": "host3"}})
    words = fastpath.spec.model_copy(update={"tcp": some})
    with pytest.raises(FileError, match="none behind port p2") as caught:
        tcp.run(lab.Lab(fastpath.folder, words), tcp.Options())
    assert caught.value.line


def test_the_hosts_of_a_bridged_condition_have_its_addresses() -> None:
    fastpath = lab.find("fastpath")
    assert fastpath.spec.tcp
    ((there, back),) = tcp.ends(fastpath, fastpath.spec.tcp, fastpath.condition("bridging-plain"))
    assert (there.client, there.server, there.address) == ("host1", "host2", "198.18.0.2")
    assert (back.client, back.server, back.address) == ("host2", "host1", "198.18.0.1")


def test_the_retransmits_are_explained_for_each_arrangement() -> None:
    apart = " ".join(tcp.explanations("separate", offloads=False))
    assert "backlogs of two CPUs" in apart
    assert "bundles" not in apart
    assert "share the CPUs" in " ".join(tcp.explanations("coupled", offloads=False))
    assert "bundles" in " ".join(tcp.explanations("coupled", offloads=True))


def test_a_run_of_a_few_conditions_takes_nothing_from_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages show the newest record of the most conditions that the lab measures with TCP now."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))

    def kept(year: int, *names: str) -> results.TcpRecord:
        record = make_tcp_record()
        fastpath = lab.find("fastpath")
        few = tuple(
            each.model_copy(update={"name": name})
            for each, name in zip(record.conditions * 9, names, strict=False)
        )
        assert all(name in fastpath.conditions for name in names)
        record = record.model_copy(update={"conditions": few, "transfers": ()})
        results.save(record, tmp_path / f"tcp-fastpath-{year}0101T000000Z-vm.json")
        return record

    every = ("routing-fast-path", "routing-plain", "routing-25-ip-filter-rules")
    kept(2025, *every)
    whole = kept(2026, *every)
    kept(2027, "routing-plain")
    # More of them, but the lab no longer measures these with TCP.
    kept(2024, "routing-plain", "routing-3-rules", "routing-13-rules", "bridging-plain")
    assert results.newest_of(results.TcpRecord, "fastpath") == whole
