"""RouterOS as the device under test, CHR or hardware: over REST, with SSH for what REST lacks."""
