# The network behind port 2 is a blackhole.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/route
add dst-address=198.18.0.0/16 gateway=198.18.1.2
add dst-address=198.19.0.0/16 blackhole
