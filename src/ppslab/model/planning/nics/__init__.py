"""Network cards, slots and sockets of a server, and which ports belong together."""
