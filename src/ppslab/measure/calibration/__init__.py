"""What the tester itself can do on this machine, and what that says of a measurement.

`calibration.measuring` measures it (`ppslab calibrate`); here stands what suite and trial judge by.
"""

from ppslab.measure.calibration.use import (
    Limits,
    delay_resolution,
    limited,
    limits,
    newest_for,
    spread,
    warnings,
)

__all__ = [
    "Limits",
    "delay_resolution",
    "limited",
    "limits",
    "newest_for",
    "spread",
    "warnings",
]
