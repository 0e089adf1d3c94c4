# The state of the sessions, and the cores that work for them.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# encoding: MPPE128 stateless; mtu, mru
/interface/pppoe-client monitor plain once
# encoding of each session at the concentrator
/ppp/active print
# what the CPU works on (ppp, encrypting, networking); on a router with several, cpu=all lists each
/tool profile
# fp-rx-packet of a session: does it use the fast path?
/interface print stats-detail
# ipv4-fast-path-active
/ip/settings print
