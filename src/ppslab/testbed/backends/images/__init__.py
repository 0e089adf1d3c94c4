"""The images that containerlab's nodes run: built by Docker.

`make images` and `make chr` come here; nothing else of ppslab does.
"""

from ppslab.testbed.backends.images.building import IMAGES, Built, Wishes, build
from ppslab.testbed.backends.images.docker import Docker

__all__ = ["IMAGES", "Built", "Docker", "Wishes", "build"]
