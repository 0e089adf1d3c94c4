"""Chapters, quizzes, guesses and the learner's progress."""
