"""What iperf3 says, what a TCP record says of it, and what its kernel counters mean."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.judge import costs, goodput
from ppslab.measure import tcp
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.show import rows
from ppslab.testbed.testers import iperf3
from tests.support.tcp_factory import GOODPUT, make_tcp_record, make_way

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


def test_a_condition_without_a_valid_transfer_has_no_row() -> None:
    record = make_tcp_record(without=("routing-fast-path",))
    assert [
        row.condition
        for row in rows.of(record)
        if (row.direction, row.quantity) == ("there", "goodput")
    ] == list(GOODPUT)[1:]
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


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"ways": []}, r"transfers\[1\]\.ways: "),
        ({"router": None}, r"transfers\[1\]\.router: "),
        ({"received_bytes": []}, r"transfers\[1\]\.ways\[0\]\.received_bytes: "),
    ],
)
def test_a_valid_transfer_has_what_a_report_divides_by(
    tmp_path: Path, change: dict[str, object], where: str
) -> None:
    """`validate` took it, and `report` fell over it."""
    path = tmp_path / "record.json"
    results.save(make_tcp_record(), path)
    data = json.loads(path.read_text())
    transfer = data["transfers"][1]
    (transfer["ways"][0] if "received_bytes" in change else transfer).update(change)
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match=where):
        results.load_any(path)
    transfer |= {"valid": False, "state": "aborted", "invalid_because": ["it failed"]}
    path.write_text(json.dumps(data))
    assert isinstance(results.load_any(path), results.TcpRecord), "one that failed may lack it"


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
