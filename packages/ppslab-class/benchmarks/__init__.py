"""What loads or attacks a class; it is not installed."""
