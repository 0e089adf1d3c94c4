"""The commands that read records, as a reader types them."""
