"""Spoiled files and arguments, given to every reader of ppslab."""
