"""The RouterOS router, on the double: its checks, its journal, its conditions."""
