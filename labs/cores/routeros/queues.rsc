# Each queue's interrupt goes to its own core, which RouterOS chooses, without RPS.
# The card, or the hypervisor, sets the number of queues.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p1"] cpu=auto
set [find where users~"^p2"] cpu=auto
set [find where users~"^p3"] cpu=auto

/system/resource/irq/rps
disable [find where name=p1]
disable [find where name=p2]
disable [find where name=p3]
