# One core takes what the ports receive, and RPS shares it out to all, a stream to a core.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p1"] cpu=0
set [find where users~"^p2"] cpu=0
set [find where users~"^p3"] cpu=0

/system/resource/irq/rps
enable [find where name=p1]
enable [find where name=p2]
enable [find where name=p3]
