"""Progress of long calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: A callback that receives the steps done and the total number of steps. An exception in it cancels the call.
Callback = Callable[[int, int], None]

#: The argument `progress` of calls: True for a bar, False or None for none, or a callback.
Progress = bool | Callback | None

#: Seconds before a bar appears, so that short calls show none.
DELAY = 1.0


@contextmanager
def reporting(progress: Progress, title: str) -> Iterator[Callback | None]:
    """Provides the callback for a call: a tqdm bar (if tqdm is installed), the caller's own callback, or none."""
    if callable(progress):
        yield progress
        return
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress is True, False, None or a callback, not {progress!r}")
    tqdm = _tqdm() if progress else None
    if tqdm is None:
        yield None
        return
    bar: Any = None
    start = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - start >= DELAY:
            bar = tqdm(total=total, desc=title, unit="step", leave=False)
        if bar is not None:
            bar.total = total
            bar.update(done - bar.n)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
