"""Tables of functions of bfloat16 numbers, exact to the last bit: 65,536 inputs, all numbers that there are.

    >>> from cryptable import bfloat16
    >>> table = bfloat16.table(bfloat16.gelu)
    >>> len(table), hex(table.outputs[0x3F80])                 # GELU of 1.0, as its pattern
    (65536, '0x3f57')

Values are patterns of 16 bits: `array.astype(ml_dtypes.bfloat16).view(np.uint16)`.
"""

from __future__ import annotations

from collections.abc import Callable

from ._native import Table, bfloat16_table, gelu

__all__ = ["gelu", "table"]


def table(function: Callable[[float], float]) -> Table:
    """The table of a function of floats: its results rounded to the nearest bfloat16 number, ties to even."""
    return bfloat16_table(function)
