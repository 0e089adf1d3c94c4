"""Arithmetic and models without a lab: statistics, RFC metrics, simulated routers, plans."""
