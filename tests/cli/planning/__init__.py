"""The commands that plan and calculate, as a reader types them."""
