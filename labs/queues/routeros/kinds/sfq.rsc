# Everything that leaves through port p2 passes one queue of kind sfq: streams take turns, distinguished by a hash of addresses and ports. Linux: ../../linux/kinds/sfq.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=sfq sfq-allot=1514 sfq-perturb=5
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
