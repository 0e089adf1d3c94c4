# Every queue's interrupt to a core of its own, by RouterOS's own choice, and no packet handed on in software.
# How many queues a port has is the card's affair, or the hypervisor's.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p1"] cpu=auto
set [find where users~"^p2"] cpu=auto
set [find where users~"^p3"] cpu=auto

/system/resource/irq/rps
disable [find where name=p1]
disable [find where name=p2]
disable [find where name=p3]
