"""What sends and receives the traffic of a trial."""
