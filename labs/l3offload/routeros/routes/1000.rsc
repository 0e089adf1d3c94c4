# 1000 static routes, and one for the rest.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/route
add dst-address=198.18.0.0/16 gateway=198.18.1.2
add dst-address=198.19.0.0/16 gateway=198.18.2.2
:for i from=0 to=999 do={ /ip/route add dst-address=((198.19.0.0 + ($i * 64)) . "/26") gateway=198.18.2.2 }
