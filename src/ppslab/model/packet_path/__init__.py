"""The way of a packet through RouterOS, decision by decision."""
