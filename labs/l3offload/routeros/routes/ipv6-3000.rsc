# 3000 IPv6 routes behind port 2, as many as the article says that the chip takes; behind ipv6.rsc.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
:for i from=512 to=3511 do={ /ipv6/route add dst-address=("2001:2:0:" . [:pick "0123456789abcdef" ($i / 256)] . [:pick "0123456789abcdef" (($i / 16) % 16)] . [:pick "0123456789abcdef" ($i % 16)] . "::/64") gateway=2001:2:0:2::2 }
