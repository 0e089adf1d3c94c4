"""The agent: what it starts with, what it knows again, and why it does not start."""
