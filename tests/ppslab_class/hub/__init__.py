"""Seats on a server or a cluster: JupyterHub, how seats start, and what is left of a hub."""
