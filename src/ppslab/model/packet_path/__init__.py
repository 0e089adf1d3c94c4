"""Which way a packet takes through RouterOS, decision by decision."""
