"""What MikroTik's manual says, and where this project says it again."""
