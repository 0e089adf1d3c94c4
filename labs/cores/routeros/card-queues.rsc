# RouterOS chooses the core for each interrupt of port p4's card, without RPS.
# The hypervisor sets the number of queues; `ppslab plan queues` prints the settings.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq set [find where users~"^p4"] cpu=auto
/system/resource/irq/rps disable [find where name=p4]
