"""The board of a class: codes, events, the state made of them, and everybody's rights.

`Board` (board.py) is all of it for one day, in one SQLite file.
"""

from ppslab_class.board.board import Board, Joined, RefusedError

__all__ = ["Board", "Joined", "RefusedError"]
