"""Text for reading: numbers, tables, sentences, and what a terminal may be shown."""
