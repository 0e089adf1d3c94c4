# A service for customers who send nothing. One secret and a pool serve all of them.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/pool add name=idle ranges=198.18.128.1-198.18.159.254
/ppp/profile add name=idle local-address=198.18.100.254 remote-address=idle use-encryption=no use-compression=no change-tcp-mss=no only-one=no
/interface/pppoe-server/server add service-name=idle interface=link default-profile=idle authentication=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled keepalive-timeout=disabled one-session-per-host=no disabled=no
/ppp/secret add name=idle password=ppslab service=pppoe profile=idle
