"""Which way each class of packets goes, and by which line."""
