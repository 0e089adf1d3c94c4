"""The site as a whole: what is around every page, and what has no page of its own."""
