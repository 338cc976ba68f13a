"""Check of numbers of threads for compiled calls that receive options as a dictionary, and so cannot name a bad one."""

from __future__ import annotations

import operator
from typing import Any

from .errors import RangeError

#: Largest number of threads, as in compiled calls and on the command line.
_MOST = 1024


def checked(threads: Any) -> int:
    """Returns the number of threads, 0 for all.

    Raises a `TypeError` if it is not an integer, and a `RangeError` if it is out of range.
    """
    count = operator.index(threads)
    if not 0 <= count <= _MOST:
        raise RangeError(f"threads is {threads}, but must be from 0, which is all, to {_MOST}")
    return count
