"""A trial: the statistics of its frames, and why it is no measurement."""
