"""The record of a run: one JSON file with everything needed to judge it, under a versioned schema.

The schemas are `schemas/KIND-VERSION.json`, made from the classes (`python -m
ppslab.model.results`); a test holds the two equal.
Figures, claims and pages read records and nothing else.
"""

from ppslab.model.results.every_frame import (
    Delays,
    EveryFrame,
    Percentile,
    PortToPort,
    Reordering,
    Variation,
)
from ppslab.model.results.header import Run
from ppslab.model.results.kinds.calibration import (
    CalibrationRecord,
    Carried,
    Clocks,
    NotShown,
    Paced,
    Receiver,
    Sent,
    Timer,
)
from ppslab.model.results.kinds.cost import Record
from ppslab.model.results.kinds.profile import (
    ConditionProfile,
    CpuCounters,
    Estimate,
    ProfileRecord,
    StationTime,
)
from ppslab.model.results.kinds.soak import Leg, SoakRecord
from ppslab.model.results.kinds.suite import (
    BackToBack,
    FrameLoss,
    Latency,
    Recovery,
    Reset,
    Subject,
    SuiteRecord,
    Throughput,
)
from ppslab.model.results.kinds.tcp import (
    LinkCounts,
    RoundTrip,
    RouterCounts,
    TcpDirection,
    TcpRecord,
    Transfer,
    Way,
)
from ppslab.model.results.parts import ConditionRecord, GoalResult, Lease, Search, Skipped, Tester
from ppslab.model.results.selecting import only, only_tcp
from ppslab.model.results.storing import (
    KERNELS,
    KINDS,
    SCHEMA,
    SENT,
    load,
    load_any,
    load_as,
    name_of,
    new_path,
    newest,
    newest_of,
    newest_path,
    newest_path_of,
    save,
    schema,
    sent_path,
    stored,
)
from ppslab.model.results.trials import (
    Arrangement,
    Clock,
    Direction,
    Family,
    Purpose,
    Step,
    Trial,
    clock_of,
)

__all__ = [
    "KERNELS", "KINDS", "SCHEMA", "SENT", "Arrangement", "BackToBack", "CalibrationRecord",
    "Carried", "Clock", "Clocks", "ConditionProfile", "ConditionRecord", "CpuCounters", "Delays",
    "Direction", "Estimate", "EveryFrame", "Family", "FrameLoss", "GoalResult", "Latency", "Lease",
    "Leg", "LinkCounts", "NotShown", "Paced", "Percentile", "PortToPort", "ProfileRecord",
    "Purpose", "Receiver", "Record", "Recovery", "Reordering", "Reset", "RoundTrip", "RouterCounts",
    "Run", "Search", "Sent", "Skipped", "SoakRecord", "StationTime", "Step", "Subject",
    "SuiteRecord", "TcpDirection", "TcpRecord", "Tester", "Throughput", "Timer", "Transfer",
    "Trial", "Variation", "Way", "clock_of", "load", "load_any", "load_as", "name_of", "new_path",
    "newest", "newest_of", "newest_path", "newest_path_of", "only", "only_tcp", "save", "schema",
    "sent_path", "stored",
]  # fmt: skip
