# A capture of the tunnel, first live and then into a file.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.
/tool/sniffer
quick ip-protocol=gre interface=ether1
set file-name=eoip.pcap filter-ip-protocol=gre filter-interface=ether1
start
stop
