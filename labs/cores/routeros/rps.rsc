# One core receives the packets of the ports, and RPS spreads the streams over all cores.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p1"] cpu=0
set [find where users~"^p2"] cpu=0
set [find where users~"^p3"] cpu=0

/system/resource/irq/rps
enable [find where name=p1]
enable [find where name=p2]
enable [find where name=p3]
