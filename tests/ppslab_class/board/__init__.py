"""The board of a class: events, rights, and what learners show of their terminals."""
