# Everything that leaves through port p2 passes one queue of kind pcq: streams take turns, distinguished by the fields that you choose. Linux: ../../linux/kinds/pcq.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=pcq pcq-classifier=src-address,src-port pcq-rate=0 pcq-limit=50KiB pcq-total-limit=2000KiB
/queue/tree add name=out parent=p2 queue=lab max-limit=10G
