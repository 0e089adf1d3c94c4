"""RouterOS as the device under test, CHR or hardware, over REST."""
