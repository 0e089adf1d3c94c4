"""Tunnels: RouterOS's EoIP on the wire, and what each tunnel costs in bytes and in fragments.

`eoip_bytes` knows the wire format, `tunnel_layers` the headers, and `overhead` stacks them and
sends a packet through.
"""
