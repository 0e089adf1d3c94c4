# What leaves by port p2 passes one queue of the kind sfq, which lets streams take turns, found by a hash of addresses and ports. Linux: ../../linux/kinds/sfq.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=sfq sfq-allot=1514 sfq-perturb=5
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
