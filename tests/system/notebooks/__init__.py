"""Notebooks, run live or on records that are broken on purpose."""
