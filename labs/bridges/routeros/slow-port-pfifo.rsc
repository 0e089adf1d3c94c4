# Port 3 sends 10 Mbit/s and has room for 50 waiting frames. Linux: ../linux/slow-port.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=pfifo pfifo-limit=50
/queue/tree add name=slow parent=p3 packet-mark=no-mark queue=lab max-limit=10M
