"""The commands that read labs and records."""
