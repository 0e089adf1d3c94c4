"""RouterOS's firewall as nftables of a Linux router: a model of RouterOS, not RouterOS.

`translating.Translation` takes a file's commands, refuses what has no translation with the reason,
and returns the script of the rest; `rule` writes one rule, by the data of `table`.
"""
