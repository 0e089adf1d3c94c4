"""The chapter "Measuring" as its notebook uses it: look, guess, break, look again.

from ppslab.course import measuring
from ppslab.model import simulated

measuring.ports()                                     # what a published table says of ports
measuring.compare(simulated.EXAMPLES["loss spikes"])  # twenty searches of each kind
measuring.break_it()                                  # the instrument, broken on purpose
"""

from ppslab.course.measuring.breaking import Broken, break_it
from ppslab.course.measuring.delays import two_delays
from ppslab.course.measuring.noise import noise
from ppslab.course.measuring.published_meters import published_meters
from ppslab.course.measuring.searching import Comparison, Watched, compare, loss_curve, watch
from ppslab.course.measuring.wires import ports, wire
from ppslab.model.meters import table as meters

__all__ = [
    "Broken",
    "Comparison",
    "Watched",
    "break_it",
    "compare",
    "loss_curve",
    "meters",
    "noise",
    "ports",
    "published_meters",
    "two_delays",
    "watch",
    "wire",
]
