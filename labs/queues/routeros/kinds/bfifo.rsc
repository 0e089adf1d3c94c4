# Everything that leaves through port p2 passes one queue of kind bfifo, which holds 75 000 bytes at most, or 50 large packets. Linux: ../../linux/kinds/bfifo.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=bfifo bfifo-limit=75000
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
