"""The pages of a class and the terminals on them, in a browser."""
