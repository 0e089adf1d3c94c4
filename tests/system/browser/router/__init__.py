"""The router in the page: how soon, its terminal, RouterOS at it, its tasks."""
