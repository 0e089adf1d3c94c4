"""Tasks: their schema, their checks, and a proof of each on a lab."""
