"""The chapter "Measuring" as its notebook uses it: look, guess, break, look again.

from ppslab.course import measuring
from ppslab.model import simulated

measuring.ports()                                     # what a published table says of ports
measuring.compare(simulated.EXAMPLES["loss spikes"])  # twenty searches of each kind
measuring.break_it()                                  # the instrument, broken on purpose
"""

from ppslab.course.measuring.breaking import Broken as Broken
from ppslab.course.measuring.breaking import break_it as break_it
from ppslab.course.measuring.delays import two_delays as two_delays
from ppslab.course.measuring.noise import noise as noise
from ppslab.course.measuring.published_meters import published_meters as published_meters
from ppslab.course.measuring.searching import Comparison as Comparison
from ppslab.course.measuring.searching import Watched as Watched
from ppslab.course.measuring.searching import compare as compare
from ppslab.course.measuring.searching import loss_curve as loss_curve
from ppslab.course.measuring.searching import watch as watch
from ppslab.course.measuring.wires import ports as ports
from ppslab.course.measuring.wires import wire as wire
from ppslab.model.meters import table

meters = table
