"""The tests of RFC 2544, on routers that are arithmetic."""
