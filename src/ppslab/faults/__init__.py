"""Break the instrument on purpose, one fault at a time, and see whether it notices.

    record, path = faults.run(lab.find("fastpath"), Options(), progress)

A check that was never seen to fail is no check.  Every fault here is one that spoiled somebody's
measurement; each is made in real trials, beside a trial without it.
"""

from ppslab.faults.breaking import Options, run
from ppslab.faults.kinds import FAULTS, Fault, find
from ppslab.faults.tables import fault_table, pause_table

__all__ = ["FAULTS", "Fault", "Options", "fault_table", "find", "pause_table", "run"]
