"""Doubles of a RouterOS device, of a traffic generator, and of programs (README.md)."""
