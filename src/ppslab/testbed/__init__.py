"""The router under test and what surrounds it: backends, routers, testers."""
