"""Networks without source NAT: which are named, and which are so on purpose."""

from __future__ import annotations
