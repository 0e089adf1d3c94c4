"""The seats of a small class on a server."""

from __future__ import annotations

from ppslab_class.hub.description import Seats

SEATS = Seats(title="A day", names=("seat-01", "seat-02"))
