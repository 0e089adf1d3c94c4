"""The lab numa."""
