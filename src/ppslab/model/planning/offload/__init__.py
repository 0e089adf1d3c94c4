"""The lines of a RouterOS export that keep packets from a switch chip."""
