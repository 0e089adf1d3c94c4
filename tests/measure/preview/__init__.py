"""What a run would do, and whether pretended nodes answer as real ones."""
