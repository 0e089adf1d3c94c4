"""The count of the router in the page against QEMU's, for the same kernel, initramfs and scripts.

`browser.mjs` boots the machine under v86, as a page does; `emulated` boots it under QEMU, with the
plug-in `instructions.c`.  Both count the bursts of `counting`.

The two differ in one thing.  A string instruction (`rep movs`, `rep stos`: how this kernel copies
and clears memory) is one instruction to v86, however long; QEMU counts each step of it.  So the
plug-in counts the steps apart.
"""

from ppslab.testbed.backends.page_router.against.emulated import (
    QEMU,
    Asked,
    Counted,
    in_browsers_emulator,
    in_qemu,
)

__all__ = ["QEMU", "Asked", "Counted", "in_browsers_emulator", "in_qemu"]
