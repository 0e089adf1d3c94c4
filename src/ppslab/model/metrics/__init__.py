"""Pure mathematics of packet streams, on numpy arrays: knows nothing of networks or files.

arrivals: what came, what did not, and in which order; delays: when.
Times are whole nanoseconds, sequence numbers count from 0 in the order of sending, and arrays
stand in the order of arrival unless a function says otherwise.
"""

from pydantic import Field

from ppslab.core.documents.strict import StrictModel


class Percentile(StrictModel):
    """The smallest delay that `share` of the frames did not exceed."""

    share: float = Field(gt=0, le=1, description="of the frames")
    ns: int = Field(description="nanoseconds")
    beyond: int = Field(ge=0, description="frames that took longer: how much stands behind it")
