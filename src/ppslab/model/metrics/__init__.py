"""Pure mathematics of packet streams, on numpy arrays: knows nothing of networks or files.

arrivals: what came, what did not, and in which order; delays: when.
Times are whole nanoseconds, sequence numbers count from 0 in the order of sending, and arrays
stand in the order of arrival unless a function says otherwise.
"""
