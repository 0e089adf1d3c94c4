"""Measuring on a real kernel: what was put into a router or a wire comes back."""
