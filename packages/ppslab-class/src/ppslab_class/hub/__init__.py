"""Seats on one server, or on a cluster: what a JupyterHub is told, made of one description.

No JupyterHub is imported but by `authenticator`, which the hub itself loads.
"""
