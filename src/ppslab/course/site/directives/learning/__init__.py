"""The learning parts of pages: goals, guesses, quizzes, terms, progress."""
