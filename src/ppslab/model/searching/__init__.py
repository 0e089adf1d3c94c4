"""Searches for a throughput, to be compared with the one that ppslab measures with."""
