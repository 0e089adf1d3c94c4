"""The words of a notebook, and how its stored numbers are compared with new ones."""
