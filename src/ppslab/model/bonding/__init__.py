"""The port of a bond that a packet leaves by."""
