"""The backend namespaces: a topology stands, with root and without, and leaves nothing behind."""
