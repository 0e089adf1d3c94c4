"""A workshop, and a class for its tests."""
