# 12 288 static routes: networks of 4 and of 8 addresses.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/route
add dst-address=198.18.0.0/16 gateway=198.18.1.2
:for i from=0 to=8191 do={ /ip/route add dst-address=((198.19.0.0 + ($i * 4)) . "/30") gateway=198.18.2.2 }
:for i from=0 to=4095 do={ /ip/route add dst-address=((198.19.128.0 + ($i * 8)) . "/29") gateway=198.18.2.2 }
