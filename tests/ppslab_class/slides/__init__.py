"""Slides: made from chapters, and shown in a browser."""
