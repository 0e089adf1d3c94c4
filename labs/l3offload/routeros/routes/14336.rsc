# 14 336 static routes, 1024 more than the chip has room for.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/route
add dst-address=198.18.0.0/16 gateway=198.18.1.2
:for i from=0 to=12287 do={ /ip/route add dst-address=((198.19.0.0 + ($i * 4)) . "/30") gateway=198.18.2.2 }
:for i from=0 to=2047 do={ /ip/route add dst-address=((198.19.192.0 + ($i * 8)) . "/29") gateway=198.18.2.2 }
