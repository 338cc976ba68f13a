"""Numbers of threads that go to compiled calls among other options, which hide what is wrong with one of them."""

from __future__ import annotations

import operator
from typing import Any

from .errors import RangeError

#: Most threads: as many as compiled calls and the command line take.
_MOST = 1024


def checked(threads: Any) -> int:
    """The number, 0 for all: a `TypeError` of what is no integer, a `RangeError` of one out of range."""
    count = operator.index(threads)
    if not 0 <= count <= _MOST:
        raise RangeError(f"threads is {threads}, but must be from 0, which is all, to {_MOST}")
    return count
