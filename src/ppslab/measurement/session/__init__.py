"""What every measuring command does around its measurement: backend, testbed, and the record."""

from ppslab.measurement.session.progress import Kept, Progress, Silent
from ppslab.measurement.session.session import FrameSession, OpenSession, Session, State

__all__ = ["FrameSession", "Kept", "OpenSession", "Progress", "Session", "Silent", "State"]
