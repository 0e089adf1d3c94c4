# WireGuard, routed into. The keys are only for this lab: /interface/wireguard/add without one makes another.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/wireguard
add name=wg1 listen-port=13231 mtu=9420 private-key="cJoucxKjhxX2sh8HO/phyvUusC89YNgqZgH5OU5kx2o="
/interface/wireguard/peers
add interface=wg1 public-key="n2O1QNQK89/gg5lGTWFQrRw/so5kw7jfTvCRoTjhGWM=" endpoint-address=198.19.1.2 endpoint-port=13231 allowed-address=0.0.0.0/0

/ip/address
add address=198.19.0.2/30 interface=wg1
/ip/route
set [find where dst-address=198.18.1.0/24] gateway=198.19.0.1
