"""The site: what Sphinx puts into pages, and what runs Python in the reader's browser."""
