"""The server of a class: files, locks, and many connections at once."""
