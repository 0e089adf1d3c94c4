"""Testers, which send and receive the traffic of a trial."""
