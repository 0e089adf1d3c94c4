# 100 sessions of the client that send nothing. Linux: ../linux/server/idle-sessions
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
:for n from=1 to=100 do={ /interface/pppoe-client add name="idle$n" interface=link service-name=idle user=idle password=ppslab profile=client allow=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled add-default-route=no keepalive-timeout=disabled disabled=no }
