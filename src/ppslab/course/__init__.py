"""The course: notebooks, tasks, questions, widgets, and the site."""
