"""Measurements: trials, rounds, searches, and the work of all commands around them."""
