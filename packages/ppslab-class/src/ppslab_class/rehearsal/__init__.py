"""A class in which nobody sits: learners that do all tasks, against a real server."""
