"""A class on one server: simulated learners at the seats' own terminals, through the hub."""
