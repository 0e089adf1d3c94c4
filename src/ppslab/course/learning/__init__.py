"""What the course asks its readers, and what they keep: quizzes, terms, commands, progress."""
