"""The searches: against MLRsearch's own code, and on simulated routers."""
