"""`ppslab tcp`: TCP between hosts on both sides of the lab's router."""
