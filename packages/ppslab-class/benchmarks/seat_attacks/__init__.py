"""What one seat of a server may do to another: a box, a day in it, every attack."""
