"""Which port of a bond a packet leaves by."""
