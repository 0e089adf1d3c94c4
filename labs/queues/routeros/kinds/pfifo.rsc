# Everything that leaves through port p2 passes one queue of kind pfifo, which holds 50 packets at most. Linux: ../../linux/kinds/pfifo.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=pfifo pfifo-limit=50
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
