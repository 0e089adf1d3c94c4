"""RouterOS's scripts: read, laid out, linted, and shown on pages."""
