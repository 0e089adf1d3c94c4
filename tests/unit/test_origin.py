"""The badge that says on which kind of machine a number was measured."""

from __future__ import annotations

import pytest

from ppslab import origin
from ppslab.figures import Figure
from ppslab.tables import Table, cells
from tests.factory import make_record


@pytest.mark.parametrize(
    ("provenance", "label"),
    [
        ("router: linux; backend: namespaces; kernel 6.1", "measured on Linux"),
        ("router: linux; backend: vm (kvm); kernel 6.1", "measured on Linux"),
        (
            "router: linux; backend: vm (tcg emulation); kernel 6.1",
            "measured on Linux, CPU emulated",
        ),
        ("router: routeros 7.20.8 CHR; backend: containerlab; kernel x", "measured on CHR"),
        ("router: routeros 7.20.8 CHR QEMU Standard PC; backend: c", "measured on CHR"),
        ("router: routeros 7.16 CCR2004-16G-2S+; backend: bench", "measured on RouterOS"),
        ("router: routeros; backend: bench; kernel x", "measured on RouterOS"),
        ("tester: ppstraffic 0.1.0; backend: namespaces; k", "measured on the tester alone"),
    ],
)
def test_the_line_of_provenance_names_the_kind(provenance: str, label: str) -> None:
    found = origin.kind(provenance)
    assert found is not None
    assert origin.LABELS[found] == label


def test_what_no_run_made_has_no_badge() -> None:
    assert origin.kind("no run recorded yet") is None
    assert origin.html("") == ""
    assert "ppslab-origin" not in Table("T", ("a",), (cells("1"),)).html()


@pytest.mark.parametrize(
    ("router", "environment", "label"),
    [
        ("linux", {"kernel": "6.1"}, "measured on Linux"),
        ("linux", {"kernel": "6.1", "emulation": "tcg"}, "measured on Linux, CPU emulated"),
        (
            "routeros",
            {"kernel": "x", "routeros": {"version": "7.20.8", "board-name": "CHR"}},
            "measured on CHR",
        ),
    ],
)
def test_a_record_says_its_own_kind(
    router: str, environment: dict[str, object], label: str
) -> None:
    """The line of a whole record, not only lines that were written for this test."""
    record = make_record().model_copy(
        update={"router": {"name": router, "cannot_show": "-"}, "environment": environment}
    )
    shown = Table("T", ("a",), (cells("1"),), provenance=record.provenance()).html()
    assert f">{label}</span></caption>" in shown
    figure = Figure("f", "F", "<svg></svg>", "alt", provenance=record.provenance()).html()
    assert f"data-aside>{label}</span>" in figure
