"""Reads what programs say of a server's slots and cards: lspci, lstopo."""
