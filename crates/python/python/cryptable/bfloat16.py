"""Tables of functions of bfloat16 numbers, exact to the last bit: 65,536 inputs, all numbers that there are.

    >>> from cryptable import bfloat16
    >>> table = bfloat16.table(bfloat16.gelu)
    >>> len(table), hex(table.outputs[0x3F80])                 # GELU of 1.0, as its pattern
    (65536, '0x3f57')

Values are patterns of 16 bits, which arrays of floats become and come from:

    >>> bfloat16.patterns([1.0, -0.1]).tolist(), bfloat16.floats([0x3F80, 0xBDCD]).tolist()
    ([16256, 48589], [1.0, -0.10009765625])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._native.tables import Table, bfloat16_table, gelu

__all__ = ["floats", "gelu", "patterns", "table"]

#: The pattern of what is no number.
_NAN = 0x7FC0


def table(function: Callable[[float], float]) -> Table:
    """The table of a function of floats: its results rounded to the nearest bfloat16 number, ties to even."""
    return bfloat16_table(function)


def patterns(numbers: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """The patterns of the bfloat16 numbers nearest to these, ties to even, in the same shape.

    Arrays of `ml_dtypes.bfloat16` keep their bits.
    """
    array = as_array(numbers)
    if array.dtype.name == "bfloat16":
        return array.view(np.uint16)
    with np.errstate(over="ignore", invalid="ignore"):
        exact = array.astype(np.float64)
        single = exact.astype(np.float32)
    words = single.view(np.uint32).copy()
    # Rounded twice, numbers next to the middle of two would go to the even one of them.
    middle = (words & 0xFFFF) == 0x8000
    words[middle & (np.abs(exact) > np.abs(single))] += 1
    words[middle & (np.abs(exact) < np.abs(single))] -= 1
    rounded = (words + np.uint32(0x7FFF) + (words >> 16 & 1)) >> 16
    found: npt.NDArray[np.uint16] = np.where(np.isnan(exact), _NAN, rounded).astype(np.uint16)
    return found


def floats(patterns: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """The bfloat16 numbers of patterns, which `float32` has all of."""
    return (as_array(patterns).astype(np.uint32) << 16).view(np.float32)
