"""Directives that show a lab's own files, plans, wiring and widgets."""
