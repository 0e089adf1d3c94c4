"""The simulated routers, on which other tests rely."""
