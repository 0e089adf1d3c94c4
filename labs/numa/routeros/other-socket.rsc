# The interrupts of socket 1's cards to the CPUs of socket 0.
# The interrupts of a card have its interface in `users`; `cpu` counts from 0 as the hypervisor gives the CPUs.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p3"] cpu=0
set [find where users~"^p4"] cpu=1
