"""A measurement shown before it is made."""
