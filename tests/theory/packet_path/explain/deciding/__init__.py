"""Which way a class of packets goes: by the firewall, the chip, tunnels, and what closes a path."""
