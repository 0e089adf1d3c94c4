"""The pages of a chapter: a folder of the book, in the order of `_toc.yml`."""

from __future__ import annotations

PAGES = {
    "index": "Try",
    "measured": "Measured",
    "why": "Why",
    "router": "On your router",
    "tasks": "Tasks",
}
"""What each file of the folder is called in the row of pages, and in the table of contents."""
