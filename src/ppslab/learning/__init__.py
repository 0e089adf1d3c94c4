"""What the course asks of its readers and what they keep: quizzes, terms, commands, progress."""
