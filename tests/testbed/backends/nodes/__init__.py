"""A node: commands in it, and interfaces of the machine that it borrows."""
