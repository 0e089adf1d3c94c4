# Bridge fast path on: RouterOS's default, written out.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Read back: /interface/bridge/settings/print shows bridge-fast-path-active=yes, and bridge-fast-path-packets grows.
# Bridge filter rules close it, whatever this says.
/interface/bridge/settings set allow-fast-path=yes use-ip-firewall=no
