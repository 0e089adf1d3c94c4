"""What a measurement is going to do, shown before it does it."""
