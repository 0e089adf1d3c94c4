# What the sessions do, and which cores work for them: what to ask a router.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# encoding: MPPE128 stateless; mtu, mru
/interface/pppoe-client monitor plain once
# encoding of each session at the concentrator
/ppp/active print
# at what the CPU works (ppp, encrypting, networking); a router with several takes cpu=all and tells them apart
/tool profile
# fp-rx-packet of a session: does it take the fast path today?
/interface print stats-detail
# ipv4-fast-path-active
/ip/settings print
