"""The search for the throughput, and what it did trial by trial."""
