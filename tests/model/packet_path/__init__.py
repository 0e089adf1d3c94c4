"""The way of a packet: the rules, and what is shown of an answer."""
