"""How a measurement goes: trials, rounds, searches, and what all commands do around them."""
