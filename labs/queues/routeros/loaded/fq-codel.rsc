# A limit of 10 Mbit/s for the packets of host 198.18.1.2, with a queue of kind fq-codel. Linux: ../../linux/loaded/fq-codel.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=fq-codel fq-codel-limit=10240 fq-codel-flows=1024 fq-codel-target=5ms fq-codel-interval=100ms fq-codel-quantum=1514 fq-codel-ecn=yes
/queue/simple add name=host target=198.18.1.2/32 max-limit=10M/10M queue=lab/lab
