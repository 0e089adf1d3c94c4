"""Pure mathematics of packet streams, on numpy arrays: knows nothing of networks or files.

loss: what came and what did not; rfc4737 and rfc5236: in which order; rfc5481 and delays: when.
Times are whole nanoseconds, sequence numbers count from 0 in the order of sending, and arrays
stand in the order of arrival unless a function says otherwise.
"""
