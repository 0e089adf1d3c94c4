"""ppstraffic: the frames that it builds and reads, its trials, and how they end."""
