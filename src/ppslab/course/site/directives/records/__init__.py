"""Directives that show records."""
