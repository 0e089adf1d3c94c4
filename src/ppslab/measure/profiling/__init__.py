"""A profile: a condition sampled with perf, and the stations of a packet's way."""
