"""The images: what their Dockerfiles promise, and how they are built."""
