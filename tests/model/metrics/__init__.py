"""Delay, loss and reordering, by the examples of their RFCs."""
