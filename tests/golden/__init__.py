"""What a user sees of the program, kept whole: help, answers, verdicts."""
