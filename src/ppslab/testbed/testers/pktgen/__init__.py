"""The kernel's packet generator as a tester."""
