"""Which routes a switch chip holds, and which are left to the CPU."""
