"""Intervals, pooling, and differences: how often they hold the truth."""
