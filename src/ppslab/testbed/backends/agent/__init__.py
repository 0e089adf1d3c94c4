"""The agent: one program that makes nodes and runs commands in them."""
