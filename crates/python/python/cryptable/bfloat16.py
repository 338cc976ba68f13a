"""Tables of functions of bfloat16 numbers, exact to the last bit, for all 65,536 possible inputs.

    >>> from cryptable import bfloat16
    >>> table = bfloat16.table(bfloat16.gelu)
    >>> len(table), hex(table.outputs[0x3F80])                 # GELU of 1.0, as its pattern
    (65536, '0x3f57')

Values are encrypted as their 16-bit patterns. `patterns` and `floats` convert arrays of floats to patterns and back:

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

#: The pattern of NaN.
_NAN = 0x7FC0


def table(function: Callable[[float], float]) -> Table:
    """Makes the table of a function of floats, with results rounded to the nearest bfloat16 number, ties to even."""
    return bfloat16_table(function)


def patterns(numbers: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Returns the patterns of the nearest bfloat16 numbers, ties to even, in the same shape.

    Arrays of `ml_dtypes.bfloat16` keep their bits.
    """
    array = as_array(numbers)
    if array.dtype.name == "bfloat16":
        return array.view(np.uint16)
    with np.errstate(over="ignore", invalid="ignore"):
        exact = array.astype(np.float64)
        single = exact.astype(np.float32)
    words = single.view(np.uint32).copy()
    # The cast to float32 has rounded once already. A number next to the midpoint of two bfloat16 numbers may have
    # become that midpoint, and ties-to-even would then round it the wrong way: move it back to its own side.
    middle = (words & 0xFFFF) == 0x8000
    words[middle & (np.abs(exact) > np.abs(single))] += 1
    words[middle & (np.abs(exact) < np.abs(single))] -= 1
    rounded = (words + np.uint32(0x7FFF) + (words >> 16 & 1)) >> 16
    found: npt.NDArray[np.uint16] = np.where(np.isnan(exact), _NAN, rounded).astype(np.uint16)
    return found


def floats(patterns: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Returns the bfloat16 numbers of patterns, all of which `float32` represents exactly."""
    return (as_array(patterns).astype(np.uint32) << 16).view(np.float32)
