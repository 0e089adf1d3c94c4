"""Product pages as a browser saves them, written by hand after the shape of MikroTik's."""

from __future__ import annotations

from collections.abc import Sequence

RB1100 = [
    (
        "Bridging",
        "none (fast path)",
        "606.5",
        "7,365.3",
        "1,736.4",
        "7,112.3",
        "5,509.7",
        "2,821.0",
    ),
    ("Routing", "25 simple queues", "606.5", "7,365.3", "933.6", "3,824.0", "960.3", "491.7"),
]
"""Two rows of the RB1100Dx4: kpps and Mbps at 1518, 512 and 64 bytes."""

SIZES = ("1518 byte", "512 byte", "64 byte")


def _row(*cells: str) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _cells(*texts: str, span: str = "") -> str:
    return "".join(f"<td{span}>{text}</td>" for text in texts)


WIDE = ' colspan="2"'
TITLE = _row(_cells("{code}"), _cells("AL21400 1G all port test", span=' colspan="7"'))
UNITS = _row(_cells("", "", *("kpps", "Mbps") * 3))

ETHERNET = "\n".join(
    (TITLE, _row(_cells("Mode", "Configuration"), _cells(*SIZES, span=WIDE)), UNITS)
)

SPREAD = "\n".join(
    (TITLE, _row(_cells("Mode", "Configuration"), *(_cells(size, "") for size in SIZES)), UNITS)
)
"""Each size above the first of its two columns."""

OTHER_WAY = "\n".join(
    (
        TITLE,
        _row(
            _cells("Configuration", "Mode", span=' rowspan="2"'),
            _cells(*reversed(SIZES), span=WIDE),
        ),
        _row(_cells(*("Mbps", "kpps") * 3)),
    )
)
"""The smallest size first, Mbps before kpps, the configuration before the mode."""


def page(rows: Sequence[tuple[str, ...]], head: str = ETHERNET, code: str = "RB1100Dx4") -> str:
    """A page with one table of test results, below a table of something else."""
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"""<!doctype html>
<html><head><meta charset="utf-8">
<link rel="canonical" href="https://mikrotik.com/product/rb1100dx4"></head>
<body><table><tr><td>Product code</td><td>{code}</td></tr></table>
<table class="performance-table"><thead>
{head.format(code=code)}
</thead><tbody>
{body}
</tbody></table></body></html>
"""


def turned(row: tuple[str, ...]) -> tuple[str, ...]:
    """A row in the order of OTHER_WAY."""
    mode, configuration, *figures = row
    return (configuration, mode, *reversed(figures))


def with_comma(text: str) -> str:
    """A number with a decimal comma: `7,365.3` becomes `7.365,3`."""
    return text.translate(str.maketrans(",.", ".,"))
