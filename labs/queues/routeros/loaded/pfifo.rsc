# A limit of 10 Mbit/s for the packets of host 198.18.1.2, with a queue of kind pfifo. Linux: ../../linux/loaded/pfifo.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=pfifo pfifo-limit=50
/queue/simple add name=host target=198.18.1.2/32 max-limit=10M/10M queue=lab/lab
