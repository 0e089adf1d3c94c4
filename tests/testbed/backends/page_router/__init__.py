"""The router that runs in the reader's browser: built, stood up, and its tasks."""
