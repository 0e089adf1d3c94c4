"""The router in the page: a Linux that boots in the reader's browser, under the emulator v86."""

from ppslab.testbed.backends.page_router.building import (
    Parts,
    build,
    manifest_of,
    note_missing,
)
from ppslab.testbed.backends.page_router.contents import TESTER, Contents, load
from ppslab.testbed.backends.page_router.counting import count
from ppslab.testbed.backends.page_router.standing import Lab, stand_up

__all__ = [
    "TESTER",
    "Contents",
    "Lab",
    "Parts",
    "build",
    "count",
    "load",
    "manifest_of",
    "note_missing",
    "stand_up",
]
