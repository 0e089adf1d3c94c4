"""Types of a record's open dictionaries: a trial's counts, the machine, the profile.

They are kept as they were printed, with words that this ppslab does not know.  The words that a
page, a figure or a comparison reads have a type, for the file that is read and for who reads it:
mypy knows no other word.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import (
    ConfigDict,
    Field,
    PlainSerializer,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    with_config,
)
from typing_extensions import TypedDict

MOST = 2**63 - 1
"""No counter of a kernel or a router goes further."""

Count = Annotated[int, Field(ge=0, le=MOST)]
Measured = Annotated[float, Field(ge=0, le=MOST)]
Signed = Annotated[float, Field(ge=-MOST, le=MOST)]

_OPEN = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


def _unchanged(data: Any, check: ValidatorFunctionWrapHandler) -> Any:
    check(data)
    return data


CHECKED = WrapValidator(_unchanged)
"""Annotates a shape: a dict must fit it, and stays what it is, in its own order."""

AS_READ = PlainSerializer(lambda data: data, return_type=Any)
"""Annotates a shape: a dict is written as it is."""


@with_config(_OPEN)
class DelayShape(TypedDict):
    """One-way delay in ns; null where none was taken or the tester gives none."""

    count: Count  # frames that have a delay
    min: Signed | None  # the shortest, in ns
    p50: Signed | None  # the median, in ns
    p90: Signed | None  # 90 % of the frames took at most this, in ns
    p99: Signed | None  # 99 % of the frames took at most this, in ns
    p999: Signed | None  # 99.9 % of the frames took at most this, in ns
    max: Signed | None  # the longest, in ns
    mean: Signed | None  # the mean, in ns


DelayKey = Literal["delay_ns", "delay_actual_ns"]
"""Counted from when a frame was due, or from when it was sent."""

DelayWord = Literal["min", "p50", "p90", "p99", "p999", "max", "mean"]


@with_config(_OPEN)
class FlowShape(TypedDict):
    """Frames of one flow."""

    name: str  # the flow's name in the lab
    intended: Count  # frames that were due
    offered: Count  # frames that were sent
    received: Count  # distinct frames that came
    duplicates: NotRequired[Count | None]  # frames that came once more
    reordered: NotRequired[Count | None]
    """Frames that came after one with a higher number (RFC 4737 section 3.3)."""


@with_config(_OPEN)
class CountsShape(TypedDict):
    """A trial as its tester printed it; traffic/README.md defines every word.

    Counts are frames; null: the tester cannot see it.
    """

    size: Count  # bytes of a frame, with the frame check sequence
    intended_rate: Measured | None  # frames per second over all flows; null: as fast as it can
    duration: Measured  # seconds of sending that were asked for
    intended: Count  # frames that were due
    offered: Count  # frames that were sent
    received: Count  # distinct frames that came
    duplicates: Count | None  # frames that came once more
    reordered: Count | None
    """Frames that came after one with a higher number (RFC 4737 section 3.3)."""
    misdelivered: Count | None  # frames of the trial that came at a port where they do not belong
    foreign: Count | None  # frames that are none of the trial's
    corrupt: Count | None  # frames of the trial that were changed on the way
    send_errors: Count | None  # frames that the kernel did not take
    refused: Count | None  # frames that the kernel took and its device refused
    kernel_drops: Count | None  # frames that did not fit the receive rings: the receiver's loss
    send_seconds: Measured  # from the start of the first call that sends to the end of the last
    send_cpu_seconds: Measured | None  # CPU time of the sending threads
    kernel_thread_seconds: NotRequired[Measured | None]
    """CPU time of the kernel's own threads until they rested, where instructions are counted."""
    kernel_chores_seconds: NotRequired[Measured | None]
    """CPU time of threads among them whose last work was the kernel's housekeeping."""
    elapsed_seconds: Measured  # the whole program, rings and waits included
    steal_seconds: NotRequired[Measured | None]
    """Until 2026-11-22: of all CPUs together, over the whole trial."""
    steal_ticks: NotRequired[dict[str, Count] | None]
    """Taken by the hypervisor while frames were sent: CPU to ticks of 10 ms."""
    steal_window_seconds: NotRequired[Measured | None]  # seconds in which these ticks were counted
    max_lateness_ns: Count | None  # largest actual minus intended send time, in ns
    clock_step_ns: NotRequired[Annotated[int, Field(ge=-MOST, le=MOST)]]
    """The step by which the kernel's clock was set during the trial, in ns."""
    delay_ns: DelayShape  # delay from the intended send time
    delay_actual_ns: DelayShape  # delay from the actual send time
    flows: list[FlowShape]  # the same counts of each flow
    aborted: bool  # true where the trial ended early
    reason: NotRequired[str | None]  # the reason for which it ended early
    tx_cpu: int | None  # the CPU that sent
    rx_cpu: int | None  # the CPU that read what arrived


@with_config(_OPEN)
class MachineShape(TypedDict):
    """A machine built to order: sockets, cards, and what the guest's programs show of it."""

    shown: dict[str, str]  # the output of each of the guest's programs about it


@with_config(_OPEN)
class EnvironmentShape(TypedDict, total=False):
    """The machine of a run; a word is left out where nobody could say."""

    kernel: str  # the release of the router's kernel
    kernel_version: str  # its build
    cpu: str  # the CPU's model
    cpus: Count  # the number of CPUs online
    emulation: str | None  # the making of a guest's CPU: kvm, tcg; null: there is no guest
    machine: str | MachineShape  # the machine's type, or one built to order
    sockets: MachineShape  # sockets and cards, where the lab asks for them
    routeros: dict[str, str]  # the router's own words about itself
    licence: str  # routerOS's licence, in words
    settings: dict[str, dict[str, str]]  # settings of the router that the lab did not make, by menu
    programs: dict[str, str]  # program to its version
    tester: dict[str, Any]  # the tester's own settings
    bpf: dict[str, Any]  # the ways to attach BPF programs here
    instruction_ns: Measured
    """Nanoseconds of the clock for each instruction, where they are counted."""


@with_config(_OPEN)
class ProfileShape(TypedDict):
    """The profile of the run, as profiles.yml had it."""

    name: str  # its name for `--profile`
    purpose: NotRequired[str]  # its use
    repeats_of_noisy_trials: NotRequired[Count]
    """The most repeats of a trial that the machine spoiled."""
    cost: NotRequired[dict[str, Measured]]  # rounds and seconds of the cost trials
    search: NotRequired[dict[str, Any]]  # the goals of the search, by MLRsearch's names
    suite: NotRequired[dict[str, Any]]  # the tests of RFC 2544
    tcp: NotRequired[dict[str, Measured]]  # seconds and rounds of the transfers
    waits: NotRequired[dict[str, Measured]]  # seconds around a trial's frames
    emulated: NotRequired[dict[str, Any] | None]  # the values in place of these under emulation


@with_config(_OPEN)
class RouterShape(TypedDict):
    """The router, and what it cannot show."""

    name: str  # linux or routeros
    cannot_show: str  # the limits of this router's numbers, in words


Counts = Annotated[CountsShape, CHECKED, AS_READ]
Environment = Annotated[EnvironmentShape, CHECKED, AS_READ]
Profile = Annotated[ProfileShape, CHECKED, AS_READ]
Router = Annotated[RouterShape, CHECKED, AS_READ]
