"""Tries every kernel feature that a lab can need, in a namespace that is thrown away.

    python -P -S .../backends/prober

prints one JSON object: each feature, and null or why it is absent (absence.Absence).

It runs on the host, and inside the vm backend's guest, where a start costs ten times as much:
so it imports the standard library only.  A version number or a kernel's configuration proves
little (a module may be missing, a user namespace may not be allowed to), so each feature is used.
"""
