"""A session: what it checks, its turn on the machine, and the head of its record."""
