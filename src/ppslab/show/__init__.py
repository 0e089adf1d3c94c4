"""Records shown: figures, reports, tables."""
