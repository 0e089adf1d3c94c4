"""The decisions on a learner's tasks, without any of the doing: one file for every host.

`judging` says what a check comes to, `way` how tasks follow each other.  Both only ask: they are
generators that yield what they want done and are sent what came of it (`play`).  CPython asks a
deployed lab; the router in the page runs the same files in MicroPython and asks the emulator, by
way of `in_page`.  So they keep to the standard library and to what MicroPython 1.27 knows, as the
models do (ppslab.course.models).
"""
