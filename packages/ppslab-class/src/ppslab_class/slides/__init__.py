"""Slides: one deck a chapter, from what its own pages hold and mark; no text is kept twice."""
