# A limit of 10 Mbit/s for the packets of host 198.18.1.2, with a queue of kind cake. Linux: ../../linux/loaded/cake.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=cake cake-flowmode=triple-isolate cake-diffserv=diffserv3 cake-rtt=100ms
/queue/simple add name=host target=198.18.1.2/32 max-limit=10M/10M queue=lab/lab
