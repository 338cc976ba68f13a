"""Gates on encrypted bits: one by one, in milliseconds per gate, or thousands at once.

    >>> from cryptable import booleans
    >>> secret = booleans.SecretKey.generate(insecure_toy=True)      # without `insecure_toy` for use
    >>> server = secret.evaluation_key(progress=False)
    >>> a, b = secret.encrypt([False, False, True, True]), secret.encrypt([False, True, False, True])
    >>> with booleans.computing(server, progress=False):             # operators need to know the server's key
    ...     differ = a ^ b
    >>> secret.decrypt(differ).tolist()
    [False, True, True, False]
    >>> secret.decrypt(server.mux(a, b, ~b, progress=False)).tolist()    # b where a, else not b
    [True, False, False, True]

`SecretKey.packed_gates` makes the keys of `PackedGates`, whose gates take microseconds each when thousands run at once.
`SecretKey.save_packed_gates` writes them to a folder, for a server in another process (`PackedGates.open`).
`ForeignSecret` and `ForeignGates` do the same for ciphertexts of OpenFHE and tfhe-rs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._native import booleans as _compiled
from .errors import UnsupportedError
from .progress import Progress

__all__ = [
    "EncryptedBits",
    "EvaluationKey",
    "ForeignGates",
    "ForeignSecret",
    "PackedGates",
    "SecretKey",
    "computing",
]

EncryptedBits = _compiled.EncryptedBits
EvaluationKey = _compiled.EvaluationKey
ForeignGates = _compiled.ForeignGates
ForeignSecret = _compiled.ForeignSecret
PackedGates = _compiled.PackedGates
SecretKey = _compiled.SecretKey

_key: ContextVar[tuple[EvaluationKey | PackedGates, dict[str, Any]] | None] = ContextVar(
    "cryptable.booleans", default=None
)


@contextmanager
def computing(server: EvaluationKey | PackedGates, *, threads: int = 0, progress: Progress = True) -> Iterator[None]:
    """Makes operators on bits (`x & y`, `x | y`, `x ^ y`) use this key within the `with` block.

    `threads` and `progress` apply to every gate in it.
    """
    token = _key.set((server, {"threads": threads, "progress": progress}))
    try:
        yield
    finally:
        _key.reset(token)


def _operator(gate: str, x: EncryptedBits, y: EncryptedBits) -> EncryptedBits:
    """Evaluates an operator on bits."""
    current = _key.get()
    if current is None:
        raise UnsupportedError(
            "operators on bits need `with cryptable.booleans.computing(server):`, or see `server.gate`"
        )
    server, how = current
    return server.gate(gate, x, y, **how)
