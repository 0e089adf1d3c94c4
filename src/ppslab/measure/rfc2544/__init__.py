"""The RFC 2544 suite: the tests of section 26, on any lab and condition."""

from ppslab.measure.rfc2544.suite import Options, rehearse_suite, run_suite

__all__ = ["Options", "rehearse_suite", "run_suite"]
