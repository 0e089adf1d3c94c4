"""The commands that measure, as a reader types them."""
