# All interrupts of port p4's card go to one core, without RPS.
# The hypervisor sets the number of queues. With one queue this is the only possibility.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq set [find where users~"^p4"] cpu=0
/system/resource/irq/rps disable [find where name=p4]
