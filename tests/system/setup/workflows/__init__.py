"""What runs on GitHub."""
