"""The width that a drawing takes its letters for, against a broad font: DejaVu."""

from __future__ import annotations

from pathlib import Path
from unicodedata import category

import matplotlib
import pytest
from matplotlib.ft2font import FT2Font

from rosexplain.letters import LOOKS, plain, width_of

FONTS = Path(matplotlib.get_data_path()) / "fonts/ttf"
LETTERS = [chr(code) for code in range(32, 0x530) if chr(code).isprintable()]


def font_of(look: str) -> FT2Font:
    name = "DejaVuSansMono" if LOOKS[look].mono else "DejaVuSans"
    font = FT2Font(str(FONTS / f"{name}{'-Bold' if LOOKS[look].bold else ''}.ttf"))
    font.set_size(LOOKS[look].size, 72)
    return font


@pytest.mark.parametrize("look", LOOKS)
def test_no_letter_is_broader_than_the_drawing_takes_it_for(look: str) -> None:
    font = font_of(look)
    known = font.get_charmap()
    broader = {}
    for letter in LETTERS:
        if ord(letter) in known:
            advance = font.load_char(ord(letter)).linearHoriAdvance / 65536
            if advance > width_of(letter, look) * 1.001:
                broader[letter] = (advance, width_of(letter, look))
    assert not broader
    text = "/ip firewall filter add action=fasttrack-connection chain=forward"
    advance = sum(font.load_char(ord(letter)).linearHoriAdvance / 65536 for letter in text)
    assert 0.8 < advance / width_of(text, look) <= 1


def test_a_text_that_is_drawn_is_xml_and_has_no_marks_of_direction() -> None:
    """By Unicode's categories, and the production Char of XML 1.0."""
    wrong = []
    for code in range(0x10000):
        letter, kind = chr(code), category(chr(code))
        unseen = kind == "Cf" and (0x2000 <= code < 0x2070 or code in (0x61C, 0xFEFF))
        if unseen or code == 0x2065:  # which Unicode keeps for another mark
            text = "ab"
        elif letter.isspace() or kind in ("Cc", "Zl", "Zp"):
            text = "a b"
        else:
            text = "a\ufffdb" if kind == "Cs" or code >= 0xFFFE else f"a{letter}b"
        wrong += [hex(code)] if plain(f"a{letter}b") != text else []
    assert not wrong
