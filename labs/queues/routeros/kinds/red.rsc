# Everything that leaves through port p2 passes one queue of kind red, which drops at random before it is full. Linux: ../../linux/kinds/red.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=red red-limit=60 red-min-threshold=10 red-max-threshold=50 red-burst=20 red-avg-packet=1000
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
