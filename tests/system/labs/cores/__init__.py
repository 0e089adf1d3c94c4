"""The lab cores."""
