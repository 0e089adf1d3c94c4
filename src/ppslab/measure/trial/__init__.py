"""One trial: configure, read back, send, count, judge."""
