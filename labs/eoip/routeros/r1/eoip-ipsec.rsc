# The tunnel with ipsec-secret: RouterOS makes the peer and the policy for it, in transport mode.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# allow-fast-path=no: the manual asks for it where a tunnel has IPsec.
# The proposal "default" of phase 2 is then AES-CBC with 128 bits and SHA1, as the manual says of ipsec-secret.
# Read back: /ip/ipsec/installed-sa/print shows enc-algorithm and auth-algorithm, and hw-aead where hardware does it.
/interface/eoip
add name=eoip1 local-address=198.19.1.2 remote-address=198.19.2.2 tunnel-id=100 mtu=9000 mac-address=02:00:C6:13:00:01 allow-fast-path=no clamp-tcp-mss=no dont-fragment=no ipsec-secret=only-for-this-lab

/interface/bridge
add name=br-lan protocol-mode=none
/interface/bridge/port
add bridge=br-lan interface=lan hw=no
add bridge=br-lan interface=eoip1
