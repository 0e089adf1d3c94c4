"""The version of ppslab, as `ppslab --version`, records and pages say it."""

VERSION = "0.1.0"
