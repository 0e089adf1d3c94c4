"""Routers under test: apply a condition, read it back, read counters."""
