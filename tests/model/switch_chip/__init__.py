"""What a switch chip takes."""
