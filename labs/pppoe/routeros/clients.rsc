# Eight sessions of the client, to the service `many`.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
:for n from=101 to=108 do={
    /interface/pppoe-client add name="many$n" interface=link service-name=many user="many$n" password=ppslab profile=client allow=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled add-default-route=no keepalive-timeout=disabled disabled=no
    /ip/route add dst-address="198.19.1.$n/32" gateway="many$n"
}
