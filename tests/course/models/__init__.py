"""Widgets' models: against a truth, and the same in CPython and MicroPython."""
