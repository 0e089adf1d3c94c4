"""The Linux router: the steps that make it, and what is read back of it."""
