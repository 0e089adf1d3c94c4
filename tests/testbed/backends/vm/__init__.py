"""The backend vm: a guest boots, has what it needs in its memory, and answers."""
