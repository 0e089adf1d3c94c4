"""Tunnels: their layers and bytes, against captures and the kernel."""
