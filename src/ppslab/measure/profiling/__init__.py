"""Where a packet's nanoseconds go: a condition sampled with perf, its stations and flame graph."""
