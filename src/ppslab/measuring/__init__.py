"""The chapter "Measuring" as its notebook uses it: look, guess, break, look again.

from ppslab import measuring, simulated

measuring.ports()                                     # what a published table says of ports
measuring.compare(simulated.EXAMPLES["loss spikes"])  # twenty searches of each kind
measuring.break_it()                                  # the instrument, broken on purpose
"""

from ppslab.measuring.breaking import Broken, break_it
from ppslab.measuring.delays import two_delays
from ppslab.measuring.noise import noise
from ppslab.measuring.published_meters import published_meters
from ppslab.measuring.searching import Comparison, Watched, compare, loss_curve, watch
from ppslab.measuring.wires import ports, wire
from ppslab.meters import table as meters

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
