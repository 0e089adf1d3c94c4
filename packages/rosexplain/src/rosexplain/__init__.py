"""Which path the packets of a RouterOS export take, and the line that decides it.

Nothing here reads a file but `base` and `__main__`: the rest runs in MicroPython too.
"""
