"""Stand a lab up for measuring: around a Linux router, or around RouterOS."""
