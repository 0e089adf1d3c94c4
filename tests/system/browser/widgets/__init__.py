"""Widgets, and the Python in the page that answers them."""
