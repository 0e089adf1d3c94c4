"""The router in the page: a Linux that boots in the reader's browser, under the emulator v86."""

from ppslab.testbed.backends.page_router.building import Parts as Parts
from ppslab.testbed.backends.page_router.building import build as build
from ppslab.testbed.backends.page_router.building import manifest_of as manifest_of
from ppslab.testbed.backends.page_router.building import note_missing as note_missing
from ppslab.testbed.backends.page_router.counting import count as count
from ppslab.testbed.backends.page_router.machine import TESTER as TESTER
from ppslab.testbed.backends.page_router.machine import Contents as Contents
from ppslab.testbed.backends.page_router.machine import load as load
from ppslab.testbed.backends.page_router.standing import Lab as Lab
from ppslab.testbed.backends.page_router.standing import stand_up as stand_up
