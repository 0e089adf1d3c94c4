"""Routes that a switch chip holds, and those that are left to the CPU."""
