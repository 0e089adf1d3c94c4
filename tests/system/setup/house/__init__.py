"""Rules of the whole tree: which files there are, how long they are, what decides in them."""
