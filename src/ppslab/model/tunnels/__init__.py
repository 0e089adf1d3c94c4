"""Tunnels: RouterOS's EoIP on the wire, and what each tunnel costs in bytes and in fragments.

`eoip` and `dissector` know the wire format, `capture` reads what a learner captured, `layers`
knows the headers, `overhead` stacks them and sends a packet through, `views` makes tables.
"""
