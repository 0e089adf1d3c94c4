# Port 3 sends 10 Mbit/s, and FQ-CoDel holds the waiting frames. Linux: ../linux/slow-port-fq-codel.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/type add name=lab kind=fq-codel fq-codel-limit=10240 fq-codel-flows=1024 fq-codel-target=5ms fq-codel-interval=100ms fq-codel-quantum=1514 fq-codel-ecn=yes
/queue/tree add name=slow parent=p3 packet-mark=no-mark queue=lab max-limit=10M
