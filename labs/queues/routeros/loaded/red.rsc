# A limit of 10 Mbit/s for the packets of host 198.18.1.2, with a queue of kind red. Linux: ../../linux/loaded/red.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=red red-limit=60 red-min-threshold=10 red-max-threshold=50 red-burst=20 red-avg-packet=1000
/queue/simple add name=host target=198.18.1.2/32 max-limit=10M/10M queue=lab/lab
