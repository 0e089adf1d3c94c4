"""tests/suite and the list of mutations: what runs, in which world, what is said of it."""
