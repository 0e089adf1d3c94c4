"""A lab as a notebook's reader uses it."""
