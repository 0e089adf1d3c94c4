"""The kinds of record: one module a measuring command."""
