"""How fast a MikroTik RouterOS router forwards packets, and why: every number runs again."""

__version__ = "0.1.0"
