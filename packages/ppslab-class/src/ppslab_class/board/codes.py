"""Codes that people type from a card, and the tokens that their browsers get for them.

Neither is kept in clear: the file of the board holds a digest of each.  A code is short, so its
digest is keyed with a secret of the board, and guessing is slowed by `limits`; a token is 32 random
bytes, which nobody guesses.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""No O, 0, I, 1 and L: people take them for one another."""

SEAT_LETTERS = 8
"""31^8 = 8.5e11 codes."""

STAFF_LETTERS = 16
"""31^16 = 7.3e23: who may act on all has a longer one."""

GROUP = 4


def new(letters: int) -> str:
    """A code of so many random letters, in groups: `K7PM-3XWD`."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(letters))
    return "-".join(drawn[start : start + GROUP] for start in range(0, letters, GROUP))


def plain(typed: str) -> str:
    """What was typed as a code is compared: without case, dashes and spaces.

    >>> plain(" k7pm 3xwd ")
    'K7PM3XWD'
    """
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def digest(code: str, secret: bytes) -> str:
    """What the board keeps of a code."""
    return hmac.new(secret, plain(code).encode(), hashlib.sha256).hexdigest()


def token() -> str:
    """What a browser or a command shows instead of its code."""
    return secrets.token_urlsafe(32)


def token_digest(shown: str) -> str:
    """What the board keeps of a token."""
    return hashlib.sha256(shown.encode()).hexdigest()
