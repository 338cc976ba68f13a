"""Conversion of user input to numpy arrays, without silently dropping masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def as_array(values: Any, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Works like `numpy.asarray`, but raises a `TypeError` for masked elements, whose hidden data numpy would use."""
    if _is_masked(values):
        raise TypeError(
            "elements are masked, and have no value: filled(...) gives them one, compressed() leaves them out"
        )
    return np.asarray(values, dtype=dtype)


def _is_masked(values: Any) -> bool:
    if isinstance(values, np.ma.MaskedArray):
        return bool(np.ma.is_masked(values))
    if isinstance(values, list | tuple):
        kinds = set(map(type, values))
        return any(issubclass(kind, (np.ma.MaskedArray, list, tuple)) for kind in kinds) and any(
            map(_is_masked, values)
        )
    return False
