"""Questions of the course and what readers keep: quizzes, terms, progress."""
