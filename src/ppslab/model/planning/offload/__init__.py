"""What in a RouterOS export keeps packets from a switch chip."""
