"""The RFC 2544 suite from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ppslab.model import results
from ppslab.testbed.backends import capabilities
from tests.cli.conftest import Inside, Run

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable
        or bool({"nft", "conntrack", "rps"} - capabilities.features_of("namespaces"))
        or capabilities.cpu_plan().coupled,
        reason="namespaces with nft, conntrack and a CPU for the router are needed: ppslab doctor",
    ),
]


@pytest.mark.timed(why="latency, and a reset's length by loss and by time, are times")
def test_the_suite_writes_a_record_of_every_test(ppslab: Run, tmp_path: Path) -> None:
    out = tmp_path / "rfc2544-fastpath-20261121T000000Z-namespaces.json"
    done = ppslab(
        "rfc2544", "fastpath", "--condition", "routing-25-ip-filter-rules", "--size", "64",
        "--backend", "namespaces", "--seed", "7", "--out", str(out),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    record = results.load_as(out, results.SuiteRecord)
    jsonschema.validate(json.loads(out.read_text()), results.schema(results.SuiteRecord))
    assert ppslab("validate", str(out)).returncode == 0
    for title in ("26.1", "26.2", "26.3", "26.4", "26.5", "26.6"):
        assert title in done.stdout
    assert "RFC 6815" in " ".join(record.warnings) and "RFC 6815" in done.stdout
    assert {f.direction for f in record.throughput} == {"lab", "one-way", "both-ways"}
    assert {(p.condition, p.frame_size) for p in record.latency} == {
        ("routing-25-ip-filter-rules", 64)
    }
    assert [p.share for p in record.latency] == [1.0, 0.9, 0.5, 0.1]
    quiet = record.latency[-1].from_intended
    assert quiet.count > 1000 and quiet.histogram
    assert quiet.min is not None and quiet.min < quiet.percentiles[0].ns
    curve = [p for p in record.frame_loss if p.direction == "lab"]
    assert curve[0].share == 1.0
    assert record.back_to_back and record.recovery
    assert record.reset[0].by_loss_seconds, record.reset[0].why_none
    by_loss, by_time = record.reset[0].by_loss_seconds[0], record.reset[0].by_time_seconds[0]
    assert 0 < by_loss < 1 and by_loss == pytest.approx(by_time, rel=0.5, abs=0.02)
    assert any("section 26.2" in said for said in record.deviations)
    numbers = {trial.number for trial in record.trials}
    named = {n for p in (*record.latency, *record.frame_loss, *record.reset) for n in p.trials}
    assert named <= numbers


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("fastpth",), "did you mean 'fastpath'"),
        (("fastpath", "--condition", "routing-plane"), "did you mean 'routing-plain'"),
        (("fastpath", "--size", "63"), "frame size 63"),
        (("fastpath", "--profile", "quik"), "did you mean 'quick'"),
        (("fastpath", "--tester", "pstraffic"), "did you mean"),
    ],
)
def test_wrong_usage_is_told_before_anything_starts(
    inside: Inside, argv: tuple[str, ...], said: str
) -> None:
    done = inside("rfc2544", *argv)
    assert done.returncode == 2
    assert said in done.stderr.replace('"', "'")
    assert "Traceback" not in done.stderr
