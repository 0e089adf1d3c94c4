"""The lab hundred."""
