"""The language in which texts are shown: one dictionary, which rosexplain's sentences use too.

gettext("A packet of {size} bytes costs {cost}.").format(size=size, cost=cost)
"""

from __future__ import annotations

from typing import Any

from rosexplain.language import N_, gettext, use

__all__ = ["N_", "gettext", "shown", "use"]


def shown(data: Any) -> Any:
    """Data with every sentence in it translated: a text of one word may be a name.

    The white space around a sentence is no part of its message.
    """
    if isinstance(data, dict):
        return {key: shown(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [shown(each) for each in data]
    if not isinstance(data, str) or " " not in data:
        return data
    sentence = data.strip()
    return data.replace(sentence, gettext(sentence))
