"""A lab as its files describe it: conditions, streams, published numbers, profiles, wiring."""
