"""A real CHR, asked for what the double is held to."""
