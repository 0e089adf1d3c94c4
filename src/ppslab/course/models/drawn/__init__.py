"""Drawings of the widgets' models: SVG as text."""
