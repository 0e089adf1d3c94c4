"""What the doctor and each run check of a RouterOS router, on the double."""
