"""Simulated learners: of nobody's class, and at a server's seats."""
