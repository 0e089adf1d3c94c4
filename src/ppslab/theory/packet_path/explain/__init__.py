"""Which path the packets of a configuration take, and which line decides it.

These modules keep to what MicroPython has (`course.models` says what): a page asks them too.
"""
