"""Operators on ciphertexts: sums, differences and multiples, without lookups.

    >>> import cryptable
    >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)    # for use: of a plan
    >>> server = secret.evaluation_key()
    >>> x, y = secret.encrypt([1, 2, 3]), secret.encrypt([10, 10, 10])
    >>> with cryptable.computing(server):                    # operators need to know the server's key
    ...     total = 2 * x + y - 1
    >>> secret.decrypt(total).tolist()
    [11, 13, 15]

Results are modulo the modulus of the values. `Parameters.sum_limits` says how many terms a sum may have before it is
looked up or decrypted; operations that would fail more often than the parameters state are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ._arrays import as_array
from ._native import EvaluationKey
from ._native.ciphertexts import Ciphertext
from .errors import UnsupportedError

__all__ = ["computing"]

_key: ContextVar[EvaluationKey | None] = ContextVar("cryptable.linear", default=None)


@contextmanager
def computing(server: EvaluationKey) -> Iterator[None]:
    """Makes operators on ciphertexts (`x + y`, `x - 3`, `-x`, `5 * x`) use this key within the `with` block."""
    token = _key.set(server)
    try:
        yield
    finally:
        _key.reset(token)


def _operator(name: str, x: Ciphertext, operand: Any) -> Any:
    """Evaluates an operator on ciphertexts."""
    server = _key.get()
    if server is None:
        raise UnsupportedError(
            "operators on ciphertexts need `with cryptable.computing(server):`, or see `EvaluationKey.add`"
        )
    if name == "negate":
        return server.negate(x)
    if name == "mul":
        return server.mul_scalar(x, int(operand)) if isinstance(operand, int | np.integer) else NotImplemented
    if name == "rsub":
        return _operator("add", server.negate(x), operand)
    if isinstance(operand, Ciphertext):
        return server.add(x, operand) if name == "add" else server.sub(x, operand)
    constants = np.broadcast_to(as_array(operand), x.shape)
    if constants.dtype.kind not in "iu":
        return NotImplemented
    residues = np.mod(constants if name == "add" else -constants.astype(np.int64), x.modulus)
    return server.add_plain(x, residues, signed=False)
