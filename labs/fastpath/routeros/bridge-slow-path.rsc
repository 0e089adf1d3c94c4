# Bridge fast path off: every frame takes the whole bridging path, no rule.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/bridge/settings set allow-fast-path=no use-ip-firewall=no
