"""The RFC 2544 suite: the tests of section 26, on any lab and condition."""

from ppslab.suite.running import Options, run_suite

__all__ = ["Options", "run_suite"]
