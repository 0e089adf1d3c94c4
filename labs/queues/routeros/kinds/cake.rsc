# Everything that leaves through port p2 passes one queue of kind cake: CoDel and BLUE, shares by host and stream, three classes. Linux: ../../linux/kinds/cake.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=cake cake-flowmode=triple-isolate cake-diffserv=diffserv3 cake-rtt=100ms
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
