"""RouterOS commands as a Linux router would do them: a model of RouterOS, not RouterOS.

`session.Session` takes lines as a terminal of RouterOS would, refuses what has no translation with
the reason, and says the commands of nft, ip and tc that the rest comes to.  The same files run in
CPython and in the page's MicroPython (ppslab.course.models says what that knows).
"""
