"""Break the instrument on purpose, one fault at a time, and see whether it notices.

    from ppslab.measurement.faults.breaking import Options, run

    record, path = run(lab.find("fastpath"), Options(), progress)

A check that was never seen to fail is no check.  Every fault here is easy to have without knowing;
each is made in real trials, beside a trial without it.  What only reads a record is imported here;
what makes one needs a machine that can.
"""

from ppslab.measurement.faults.reading import newest
from ppslab.measurement.faults.tables import fault_table, pause_table

__all__ = ["fault_table", "newest", "pause_table"]
